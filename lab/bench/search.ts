// Searches among 100,000 uploads of an account, none of which fits: what one takes of the main thread, on which every other request waits.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { figure, type Figure } from '#lab/bench/figures.ts';
import { startMeasuredService } from '#lab/bench/service.ts';
import { mainThreadMs } from '#test/support/process-table.ts';
import { bearer } from '#test/support/requests.ts';
import { uploadRow } from '#test/storage/rows.ts';

const benchmark = 'search';
const uploads = 100_000;
const rounds = 40;
const warmUps = 5;
const goalMs = 5;

const lists = {
  'a search': 'search=zzzz',
  'a search by one letter': 'search=z',
  'uploads with a tag': 'tag=zzzz',
  'the newest uploads': 'limit=50',
};

/** The other side of these ratios is the goal itself. */
export async function benchSearches(say: (line: string) => void): Promise<Figure[]> {
  const service = await startMeasuredService({}, { prepare: fill });
  const figures: Figure[] = [];
  try {
    for (const [name, query] of Object.entries(lists)) {
      say(name);
      const [onMainThread, whole]: [number[], number[]] = [[], []];
      for (let round = -warmUps; round < rounds; round += 1) {
        const [startedAt, before] = [performance.now(), mainThreadMs(service.pid)];
        const answer = await fetch(`${service.origin}/api/v2/uploads?${query}`, {
          headers: bearer(service.key),
        });
        if (answer.status !== 200) throw new Error(`${query} is answered with ${answer.status}`);
        await answer.arrayBuffer();
        if (round < 0) continue;
        onMainThread.push(mainThreadMs(service.pid) - before);
        whole.push(performance.now() - startedAt);
      }
      const described = { benchmark, unit: 'ms', against: 'goal' } as const;
      figures.push(
        figure(
          { ...described, subject: `${name}, processor time of the main thread`, goal: { atMost: 1 } },
          onMainThread,
          [goalMs],
        ),
        figure({ ...described, subject: `${name}, until it is answered` }, whole, [goalMs]),
      );
    }
    return figures;
  } finally {
    await service.stop();
  }
}

/** Straight into the database: as uploads they would take minutes. */
async function fill({ dataDir, accountId }: { dataDir: string; accountId: string }): Promise<void> {
  const database = new DatabaseSync(join(dataDir, 'tintype.db'));
  const columns = Object.keys(uploadRow(accountId)) as (keyof ReturnType<typeof uploadRow>)[];
  const insert = database.prepare(
    `insert into uploads (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  );
  const tag = database.prepare('insert into upload_tags (account_id, tag, upload_id) values (?, ?, ?)');
  database.exec('begin');
  const now = Date.now();
  for (let index = 0; index < uploads; index += 1) {
    const row = uploadRow(accountId, { created_at: now - index, filename: `IMG_${index} holiday.png` });
    insert.run(...columns.map((column) => row[column]));
    tag.run(accountId, `tag ${index % 20}`, row.id);
  }
  database.exec('commit');
  database.close();
}

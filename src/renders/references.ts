// The earlier pictures that a render is compared with: stored ones of the same account, copied into files for the worker. v2 4 (compare_to).
import type { Clock } from '#core/clock.ts';
import { invalid } from '#core/errors.ts';
import { isId } from '#core/ids.ts';
import { wholeRange, type Blobs } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import { isPicture, outputField, type ReferenceFile } from '#browser/job.ts';
import { isPictureFormat } from '#renders/output-files.ts';
import type { RenderRequest } from '#renders/render-request.ts';
import { outputsOf, type StoredOutput } from '#renders/stored-render.ts';

type Asked = Pick<RenderRequest, 'job' | 'listed'>;

/** The files are gone when it is disposed. */
export interface OpenReferences extends AsyncDisposable {
  files: ReferenceFile[];
}

export type References = ReturnType<typeof createReferences>;

export function createReferences(parts: { database: Database; blobs: Blobs; clock: Clock }) {
  const { database, blobs, clock } = parts;

  /** The picture at the same place of the earlier render; its first one, if there is another kind of output. */
  async function find(accountId: string, id: string, place: number, field: string): Promise<StoredOutput> {
    const now = clock.now();
    const row = isId(id) ? await database.tables.ownedBy(accountId).renders.byId(id, now) : undefined;
    if (!row) throw invalid(field, 'must be the id of a render of this account; there is none with this id');
    const isStored = row.hosted === 1 || (row.expires_at !== null && row.expires_at > now);
    const pictures = outputsOf(row).map((output) => (isPictureFormat(output.format) ? output : undefined));
    const picture = pictures[place] ?? pictures.find((output) => output !== undefined);
    if (!picture) throw invalid(field, 'that render has no picture; give the id of one that has');
    if (!isStored)
      throw invalid(field, 'the picture of that render is not stored; make it with "response": "json"');
    return picture;
  }

  function* comparedOf({ job: { outputs }, listed = [] }: Asked) {
    for (const [place, output] of outputs.entries())
      if (isPicture(output) && output.compareTo !== null)
        yield { place, field: outputField({ outputs, listed }, place, 'compare_to'), id: output.compareTo };
  }

  return {
    /** Refuses an id that is not one of the account's stored pictures, before the render costs anything. */
    async checkReferences(accountId: string, asked: Asked): Promise<void> {
      for (const { id, place, field } of comparedOf(asked)) await find(accountId, id, place, field);
    },

    async openReferences(accountId: string, asked: Asked): Promise<OpenReferences> {
      await using spools = new AsyncDisposableStack();
      const files: ReferenceFile[] = [];
      for (const { id, place, field } of comparedOf(asked)) {
        const { id: key, sizeBytes } = await find(accountId, id, place, field);
        using blob = await blobs.open(key, wholeRange(sizeBytes), accountId);
        if (!blob) throw invalid(field, 'the picture of that render is gone; make a new one');
        const spool = spools.use(blobs.createSpool(accountId));
        for await (const chunk of blob.stream as AsyncIterable<Buffer>) await spool.write(chunk);
        files.push({ place, path: await spool.toFile() });
      }
      const kept = spools.move();
      // What cannot be deleted now is left to the sweep of spools.
      return { files, [Symbol.asyncDispose]: () => kept.disposeAsync().catch(() => {}) };
    },
  };
}

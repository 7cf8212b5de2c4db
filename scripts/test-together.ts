// Test files that share a process: test.ts writes an entry for each such process, which calls this. Each file is a suite, so hooks at
// the top of a file hold for that file, and it begins when the one before it has ended. On Postgres and S3 each has one more test: that it
// has kept something there.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { endShared, together } from '#test/support/shared.ts';
import { isOnServers, onServers } from '#test/support/stores.ts';

/** What is open for longer after the last test was forgotten, and would keep the process for ever. */
const leftOpenMs = Number(process.env['TEST_LEFT_OPEN_MS'] ?? 20_000);

export async function runTogether(files: string[]): Promise<void> {
  together.isOn = true;
  const engine = process.env['TEST_ENGINE'];
  /** The files during which the number of open resources of a type rose. */
  const opened = new Map<string, string[]>();
  for (const file of files) {
    const before = countOpen();
    const asked = onServers.asked;
    await describe(`${file} on ${engine}`, async () => {
      await import(new URL(`../${file}`, import.meta.url).href);
      if (isOnServers())
        void test('data is on Postgres or S3', () =>
          assert.ok(onServers.asked > asked, 'no test has asked test/support/stores.ts for a store'));
    });
    // What a test has begun to open or close shows after a turn of the event loop.
    await setImmediate();
    for (const [type, count] of countOpen()) {
      if (count > (before.get(type) ?? 0)) opened.set(type, [...(opened.get(type) ?? []), file]);
    }
  }
  await endShared();
  setTimeout(() => {
    const leaks = [...countOpen().keys()].map(
      (type) => `${type} (${opened.get(type)?.join(', ') ?? 'by no single file'})`,
    );
    process.stderr.write(
      `${leftOpenMs} ms after the last test this is still open, by the files that opened some: ${leaks.join('; ')}\n`,
    );
    process.exit(1);
  }, leftOpenMs).unref();
}

/** What keeps this process running, but for its standard streams. */
function countOpen(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo()) {
    if (type !== 'PipeWrap' && type !== 'TTYWrap') counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return counts;
}

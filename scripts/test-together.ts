// Test files that share a process: test.ts writes an entry for each such process, which calls this. Each file is a suite, so hooks at
// the top of a file hold for that file, and it begins when the one before it has ended.
import { describe } from 'node:test';
import { endShared, together } from '#test/support/shared.ts';

/** What is open for longer after the last test was forgotten, and would keep the process for ever. */
const leftOpenMs = 20_000;

export async function runTogether(files: string[]): Promise<void> {
  together.isOn = true;
  const engine = process.env['TEST_ENGINE'];
  for (const file of files)
    await describe(`${file} on ${engine}`, () => import(new URL(`../${file}`, import.meta.url).href));
  await endShared();
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().filter((resource) => resource !== 'Timeout');
    process.stderr.write(`the tests have ended and left open: ${open.join(', ') || 'a timer'}\n`);
    process.exit(1);
  }, leftOpenMs).unref();
}

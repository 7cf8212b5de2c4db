// Servers and browsers that the test files of one process share: each starts when it is first needed and ends with the process's tests.
import { after } from 'node:test';

/** Whether several test files share this process. Then scripts/test-together.ts ends what they share. */
export const together = { isOn: false };

const ends: (() => Promise<void>)[] = [];

export function shared<T>(start: () => Promise<T>, end: (running: T) => Promise<void>): () => Promise<T> {
  let started: Promise<T> | undefined;
  ends.push(async () => {
    const ending = started;
    started = undefined;
    if (ending) await end(await ending);
  });
  return () => (started ??= start());
}

/** What is asked for after this starts again. */
export async function endShared(): Promise<void> {
  for (const end of ends) await end();
}
// With several files, this hook would run after the first of them.
after(() => (together.isOn ? undefined : endShared()));

// A pause in real time, for what no state shows: that nothing happens meanwhile, or that somebody is slow.
// oxlint-disable-next-line tests/no-pauses -- the one place for pauses
import { setTimeout as delay } from 'node:timers/promises';

/** `_why` is for the reader of the call: what cannot be waited for. */
export async function quietFor(ms: number, _why: string): Promise<void> {
  await delay(ms);
}

// The pauses of the service's event loop, asked from outside.
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export interface Pauses {
  /** For so long it did nothing else. On a busy machine the process may only have waited for a core. */
  longestMs: number;
  /** The most processor time that its thread took for what it did at a stretch. */
  workMs: number;
}

/** The variable that holds the socket's path. */
export const pausesSocket = 'TINTYPE_PROOF_PAUSES';
export const watchPauses = ['--import', join(import.meta.dirname, 'watch-pauses.ts')];

/** Since they were last taken. */
export const takePauses = async (socket: string): Promise<Pauses> =>
  JSON.parse(await text(connect(socket))) as Pauses;

export const longerOf = (one: Pauses, other: Pauses): Pauses => ({
  longestMs: Math.max(one.longestMs, other.longestMs),
  workMs: Math.max(one.workMs, other.workMs),
});

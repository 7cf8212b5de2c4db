// The pauses of the service's event loop, asked from outside.
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export interface Pauses {
  /** The longest time in which it did nothing else. */
  pauseMs: number;
  /** For this part of it, its thread waited for a core. */
  waitedMs: number;
  /** The most processor time that its thread took for what it did at a stretch. */
  workMs: number;
  /** Of a core, used by its thread. */
  share: number;
}

/** The variable that holds the socket's path. */
export const pausesSocket = 'TINTYPE_PROOF_PAUSES';
export const watchPauses = ['--import', join(import.meta.dirname, 'watch-pauses.ts')];

/** Since they were last taken. */
export const takePauses = async (socket: string): Promise<Pauses> =>
  JSON.parse(await text(connect(socket))) as Pauses;

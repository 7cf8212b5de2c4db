// What can be done in a cell: a function of bytes that a stranger has sent.

/** Bytes are moved to the service, facts are copied. */
export interface Made<Facts> {
  bytes?: Buffer | undefined;
  facts: Facts;
}

export type Work<Options, Facts> = (sent: Buffer, options: Options) => Made<Facts>;

/** The bytes are damaged, or nobody can say what they mean, or they take too much. The message completes "the file …". */
export class Unreadable extends Error {}

/** There is no place in line, or none came in time: the same may work later. The message is a clause. */
export class CellBusy extends Error {}

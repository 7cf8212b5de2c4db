// Shared by all proofs: a proof runs long (`npm run prove`) or short (in the gates of the tests), and returns
// findings, each a statement with the measured figure and whether it holds.

export type Size = 'short' | 'long';

export interface Finding {
  /** The statement, as the reliability page prints it: "no canary was touched". */
  what: string;
  /** What was seen, with its unit: "0 hits, 164 spellings". */
  seen: string;
  holds: boolean;
}

export interface Proof {
  /** Its name in `npm run prove -- NAME`. */
  name: string;
  /** The heading on the reliability page. */
  title: string;
  /** `say` prints progress: a long proof reports about every half minute how far it is. */
  run(size: Size, say: (line: string) => void): Promise<Finding[]>;
}

// What every proof has in common: it runs long (`npm run prove`) or short (in `npm test` or `npm run test:long`), and hands back findings, each a
// statement with the figure that was seen and whether it holds.

export type Size = 'short' | 'long';

export interface Finding {
  /** The statement, as the reliability page prints it: "no canary was touched". */
  what: string;
  /** What was seen, with its unit: "0 hits, 164 spellings". */
  seen: string;
  holds: boolean;
}

export interface Proof {
  /** What `npm run prove -- NAME` calls it. */
  name: string;
  /** The heading on the reliability page. */
  title: string;
  /** What follows its name on the command line is its own. */
  takesArguments?: boolean;
  /** `say` prints progress: a long proof tells about every half minute how far it is. */
  run(size: Size, say: (line: string) => void, args?: string[]): Promise<Finding[]>;
}

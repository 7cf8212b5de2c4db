// The expression that calls one of the functions in this folder in a page. Their text is sent as Node has read it: without types,
// and without anything that surrounds them.

export function callOf<Args extends (string | number)[]>(
  work: (...args: Args) => unknown,
  ...args: Args
): string {
  return `(${String(work)})(${args.map((value) => JSON.stringify(value)).join()})`;
}

// The expression that calls one of the functions in this folder in a page. Their text is sent as Node has read it: without types,
// and without anything that surrounds them. So a function that another one needs is an argument of it.

export function callOf<Args extends Sendable[]>(work: (...args: Args) => unknown, ...args: Args): string {
  return `(${String(work)})(${args.map(textOf).join()})`;
}

export type Sendable = string | number | boolean | null | string[] | ((...args: never[]) => unknown);

const textOf = (value: Sendable): string =>
  typeof value === 'function' ? `(${String(value)})` : JSON.stringify(value);

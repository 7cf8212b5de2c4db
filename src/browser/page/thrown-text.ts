// The text of an exception, for the client.
import type { Protocol } from 'devtools-protocol';
import { withoutQueries } from '#browser/page/bare-address.ts';

const maxCharacters = 300;

/** Without the stack, and without the query strings of addresses, which may hold secrets. */
export function thrownText({ text, exception }: Protocol.Runtime.ExceptionDetails): string {
  const { value, description = text } = exception ?? {};
  const thrown = typeof value === 'string' ? value : description;
  return withoutQueries(withoutStack(thrown).slice(0, maxCharacters)).toWellFormed();
}

function withoutStack(thrown: string): string {
  const stackAt = thrown.search(/\n[ \t]+at /);
  return stackAt === -1 ? thrown : thrown.slice(0, stackAt);
}

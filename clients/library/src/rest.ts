// What the calls that read, change and delete have in common. A repeat of them changes nothing, so they need no Idempotency-Key.
import { callOf, type CallOptions, type CheckedOptions } from './call-options.ts';
import { TintypeError } from './errors.ts';
import { toSnake } from './letter-case.ts';
import type { Listing, WithMeta } from './options.ts';
import { resultOf } from './results.ts';
import { send, type Call, type Sender } from './send.ts';

const readMs = 30_000;

type Query = Record<string, string | number | null | undefined>;

export function repeatable(
  sender: Sender,
  options: CallOptions,
  waitMs = 0,
): Omit<CheckedOptions, 'idempotencyKey'> {
  const { idempotencyKey: _key, ...call } = callOf(sender, options, readMs + waitMs);
  return call;
}

export async function resultAt<Result extends object>(sender: Sender, call: Call): Promise<WithMeta<Result>> {
  const answer = await send(sender, call);
  return { ...(resultOf(answer) as Result), meta: answer.meta };
}

export const readAt = async <Result extends object>(
  sender: Sender,
  path: string,
  options: CallOptions,
): Promise<WithMeta<Result>> => resultAt(sender, { method: 'GET', path, ...repeatable(sender, options) });

export const createAt = async <Result extends object>(
  sender: Sender,
  path: string,
  fields: object,
  options: CallOptions,
): Promise<WithMeta<Result>> =>
  resultAt(sender, { path, ...jsonOf(fields), ...callOf(sender, options, readMs) });

export const changeAt = async <Result extends object>(
  sender: Sender,
  path: string,
  changes: object,
  options: CallOptions,
): Promise<WithMeta<Result>> =>
  resultAt(sender, { method: 'PATCH', path, ...jsonOf(changes), ...repeatable(sender, options) });

const jsonOf = (fields: object) => ({
  body: JSON.stringify(toSnake(fields)),
  contentType: 'application/json',
});

export async function removeAt(
  sender: Sender,
  call: Pick<Call, 'path' | 'method' | 'isOpen'>,
  options: CallOptions,
): Promise<void> {
  try {
    await send(sender, { ...call, ...repeatable(sender, options) });
  } catch (error) {
    // An earlier attempt deleted it, and its response was lost.
    if (!(error instanceof TintypeError && error.code === 'not_found' && error.attempts > 1)) throw error;
  }
}

/** A page, and from there on all items, page by page. What is no option of the call is the query. */
export function listAt<Page extends { items: unknown[]; nextCursor: string | null }>(
  sender: Sender,
  path: string,
  { signal, timeoutMs, idempotencyKey, maxRetries, ...given }: CallOptions & object,
): Listing<Page> {
  const options = { signal, timeoutMs, idempotencyKey, maxRetries };
  const query = toSnake(given) as Query;
  const read = (cursor: Query['cursor']) =>
    readAt<Page>(sender, withQuery(path, { ...query, cursor }), options);
  const first = read(query['cursor']);
  async function* items(): AsyncGenerator<Page['items'][number]> {
    for (let page = await first; ; page = await read(page.nextCursor)) {
      yield* page.items as Iterable<Awaited<Page['items'][number]>>;
      if (page.nextCursor === null) return;
    }
  }
  return Object.assign(first, { [Symbol.asyncIterator]: items });
}

function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, String(value)]],
  );
  const search = new URLSearchParams(given).toString();
  return path + (search && `?${search}`);
}

export const at = (path: string, id: string): string => `${path}/${encodeURIComponent(id)}`;

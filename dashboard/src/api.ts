// Calls to /api/dashboard, typed by the server's route table.
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import type { BodyOf, QueryOf, RouteName } from '#console/contract.ts';
import type { AnswerOf } from '#console/handlers.ts';
import { dashboardPath } from '#console/paths.ts';
import { noteServiceTime } from '#app/clock.ts';

type Part<Key extends string, Value> = [Value] extends [undefined] ? unknown : Record<Key, Value>;
type Input<Name extends RouteName> = Part<'query', QueryOf<Name>> &
  Part<'body', BodyOf<Name>> &
  (Name extends `${string}:id${string}` ? { id: string } : unknown);
type Arguments<Name extends RouteName> = unknown extends Input<Name> ? [] : [Input<Name>];

interface Loose {
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  id?: string;
}

/** A failed call, built from the server's error envelope, or from the status if there was none. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** From the Retry-After header, which a 429 has. */
  readonly retryAfterSeconds: number | undefined;
  /** What was sent in it is wrong. */
  readonly field: string | undefined;
  /** The message without the field. */
  readonly complaint: string;

  constructor(status: number, code: string, message: string, retryAfterSeconds?: number, field?: string) {
    super(message);
    this.field = field;
    this.complaint = field === undefined ? message : message.slice(`${field}: `.length);
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export async function call<Name extends RouteName>(
  name: Name,
  ...[input]: Arguments<Name>
): Promise<AnswerOf<Name>> {
  const { query, body, id } = (input ?? {}) as Loose;
  const [method = 'GET', path = ''] = name.split(' ');
  const response = await reach(addressOf(path, query, id), {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  if (!response.ok) throw await errorOf(response);
  return (await response.json()) as AnswerOf<Name>;
}

/** A playground call: the page shows the response, success or error. */
export function callRaw(
  name: RouteName & `POST /playground/${string}`,
  body: object | FormData,
  signal: AbortSignal,
  headers: Record<string, string> = {},
): Promise<Response> {
  const isForm = body instanceof FormData;
  return reach(addressOf(name.slice('POST '.length)), {
    method: 'POST',
    signal,
    body: isForm ? body : JSON.stringify(body),
    headers: { ...headers, ...(!isForm && { 'content-type': 'application/json' }) },
  });
}

/** The URL of a download, such as a CSV. */
export function fileAddress(path: string, query: Loose['query'] = {}): string {
  return addressOf(path, query);
}

/** Rewrites a link of this service to the page's origin, because links are made with the configured BASE_URL. */
export const sameOrigin = (address: string): string => {
  const { pathname, search } = new URL(address, location.origin);
  return pathname + search;
};

async function errorOf(response: Response): Promise<ApiError> {
  return errorFrom(response.status, await response.text(), response.headers.get('retry-after'));
}

export function errorFrom(status: number, text: string, retryAfter: string | null): ApiError {
  const seconds = retryAfter === null || Number.isNaN(Number(retryAfter)) ? undefined : Number(retryAfter);
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string; field?: string } };
    return new ApiError(status, error.code, error.message, seconds, error.field);
  } catch {
    const message = `The service answered ${status}. Try again in a moment. If it happens again, the service log says why.`;
    return new ApiError(status, 'internal', message, seconds);
  }
}

export const sessionKey = ['session'];

/** On a 401 the session ended or the account was suspended. Reloading the session shows which. */
export function noteRefusal(error: unknown): void {
  if (error instanceof ApiError && error.status === 401)
    void queries.invalidateQueries({ queryKey: sessionKey });
}

/** Loads these queries again; each is named by the first element of its key. */
export async function refresh(names: string[]): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      const queryKey = [name];
      // A first load that is under way may bring what was there before, and is not repeated unless it is cancelled.
      await queries.cancelQueries({ queryKey, predicate: ({ state }) => state.data === undefined });
      await queries.invalidateQueries({ queryKey });
    }),
  );
}

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noteRefusal }),
  mutationCache: new MutationCache({ onError: noteRefusal }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Offline too, so that the page says so; otherwise it would wait without a word.
      networkMode: 'always',
      refetchOnReconnect: true,
      retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status < 500),
    },
  },
});

function addressOf(path: string, query: Loose['query'] = {}, id = ''): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  const suffix = given.length > 0 ? `?${search}` : '';
  return `${dashboardPath}${path.replace(':id', encodeURIComponent(id))}${suffix}`;
}

async function reach(address: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(address, init);
    noteServiceTime(response.headers.get('date'));
    return response;
  } catch {
    throw new ApiError(0, 'unreachable', 'The service did not answer. Check your connection and try again.');
  }
}

// Calls of /api/dashboard, typed by the server's own route table.
import { QueryClient } from '@tanstack/react-query';
import type { AnswerOf, BodyOf, QueryOf, RouteName } from '#http/dashboard/contract.ts';

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

/** An answer that is not a success: the server's envelope, or what stands in for it when there was none. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
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

/** A playground call: its answer is shown whatever it is. */
export function callRaw(
  name: RouteName & `POST /playground/${string}`,
  body: object | FormData,
): Promise<Response> {
  const isForm = body instanceof FormData;
  return reach(addressOf(name.slice('POST '.length)), {
    method: 'POST',
    body: isForm ? body : JSON.stringify(body),
    ...(!isForm && { headers: { 'content-type': 'application/json' } }),
  });
}

/** The address of a file to download, such as a CSV. */
export function fileAddress(path: string, query: Loose['query'] = {}): string {
  return addressOf(path, query);
}

/** Everything under this service is asked for at the page's own origin, whatever name the link was made with. */
export const sameOrigin = (address: string): string => {
  const { pathname, search } = new URL(address, location.origin);
  return pathname + search;
};

export async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  return errorFrom(response.status, text);
}

export function errorFrom(status: number, text: string): ApiError {
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string } };
    return new ApiError(status, error.code, error.message);
  } catch {
    return new ApiError(
      status,
      'internal',
      `The service answered ${status}. Please try again in a moment; if it stays, look at its log.`,
    );
  }
}

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status < 500),
    },
  },
});

export const signedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

function addressOf(path: string, query: Loose['query'] = {}, id = ''): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  const suffix = given.length > 0 ? `?${search}` : '';
  return `/api/dashboard${path.replace(':id', encodeURIComponent(id))}${suffix}`;
}

async function reach(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch {
    throw new ApiError(0, 'unreachable', 'The service did not answer. Check your connection and try again.');
  }
}

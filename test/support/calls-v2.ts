// Calls of version 2 as a client makes them.
import { bearer, type Answer } from '#test/support/requests.ts';

export interface Failure {
  error: { code: string; message: string; field?: string; reason?: string; retryable: boolean };
}
export interface List<T> {
  items: T[];
  next_cursor: string | null;
}
export interface CallOptions {
  /** A form, or what is sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
}

export type Call = <T>(method: string, path: string, options?: CallOptions) => Promise<Answer<T>>;

/** `path` is below /api/v2. */
export const callsOf =
  (origin: string, key: string): Call =>
  async <T>(method: string, path: string, { body, headers = {} }: CallOptions = {}): Promise<Answer<T>> => {
    const isJson = body !== undefined && !(body instanceof FormData);
    const response = await fetch(`${origin}/api/v2${path}`, {
      method,
      headers: { ...bearer(key), ...(isJson && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? undefined : JSON.parse(text)) as T,
    };
  };

// Requests to a service that may die, stall or refuse during them.
import type { UploadResult } from '#api/v1/schemas.ts';
import { bearer, formOf } from '#test/support/requests.ts';

/** A response, or `lost` if the connection broke with the service. */
export type Outcome<T> = { status: number; headers: Headers; body: T } | 'lost';

export function upload(
  origin: string,
  key: string,
  bytes: Buffer,
  headers: Record<string, string> = {},
): Promise<Outcome<UploadResult>> {
  return send(`${origin}/api/v1/upload`, {
    body: formOf([[bytes, 'a.png']]),
    headers: { ...bearer(key), ...headers },
  });
}

export interface HostedRender {
  id: string;
  size_bytes: number;
}

export function screenshot(
  origin: string,
  key: string,
  url: string,
  headers: Record<string, string> = {},
): Promise<Outcome<HostedRender>> {
  return send(`${origin}/api/v1/screenshot`, {
    body: JSON.stringify({ url, width: 320, height: 320, response: 'json' }),
    headers: { ...bearer(key), 'content-type': 'application/json', ...headers },
  });
}

/** A picture and a PDF of one load: two files and two units. */
export const twoOutputs = (
  origin: string,
  key: string,
  url: string,
  headers: Record<string, string> = {},
): Promise<Outcome<{ id: string }>> =>
  send(`${origin}/api/v2/renders`, {
    body: JSON.stringify({ url, response: 'json', outputs: [{ format: 'png' }, { format: 'pdf' }] }),
    headers: { ...bearer(key), 'content-type': 'application/json', ...headers },
  });

/** `headers` are those of the call. */
export const queueRender = (
  origin: string,
  key: string,
  { headers, ...fields }: Record<string, unknown> & { headers: Record<string, string> },
): Promise<Outcome<{ id: string }>> =>
  send(`${origin}/api/v2/renders`, {
    body: JSON.stringify({ ...fields, async: true }),
    headers: { ...bearer(key), 'content-type': 'application/json', ...headers },
  });

async function send<T>(url: string, init: RequestInit): Promise<Outcome<T>> {
  try {
    const response = await fetch(url, { method: 'POST', ...init, signal: AbortSignal.timeout(60_000) });
    return { status: response.status, headers: response.headers, body: (await response.json()) as T };
  } catch (error) {
    if (error instanceof TypeError) return 'lost';
    throw error;
  }
}

/** The stored bytes under a slug, or the status of the answer. */
export async function readBack(origin: string, slug: string): Promise<Buffer | number> {
  const response = await fetch(`${origin}/f/${slug}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  return response.status === 200 ? bytes : response.status;
}

/** How many of the acknowledged uploads are not stored byte for byte. */
export async function countLost(origin: string, acknowledged: Map<string, Buffer>): Promise<number> {
  let lost = 0;
  for (const [slug, bytes] of acknowledged) {
    const read = await readBack(origin, slug);
    if (typeof read === 'number' || !read.equals(bytes)) lost += 1;
  }
  return lost;
}

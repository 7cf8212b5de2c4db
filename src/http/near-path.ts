// Helps a client that called a path of the API that does not exist: names the one it may have meant.
import { nearest } from '#http/body/field-hint.ts';

/** `/api/v1/upload` for `/api/v1/upload/`, `/api/v1/Upload`, `/api/v1/uploads` and `/v1/upload`. */
export function nearPath(path: string, paths: Iterable<string>): string | undefined {
  const known = [...paths].filter((candidate) => /^\/api\/(v1|v2|account)\/[^:]+$/.test(candidate));
  const plain = path.toLowerCase().replace(/\/$/, '');
  if (!/^(\/api)?\/(v\d|account)\//.test(plain)) return undefined;
  const whole = plain.startsWith('/api/') ? plain : `/api${plain}`;
  return known.includes(whole) ? whole : nearest(whole, known);
}

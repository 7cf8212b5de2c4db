// Helps a client that called a path of the API that does not exist: names the one it may have meant.
import { nearest } from '#http/body/field-hint.ts';
import type { Place } from '#http/route.ts';

/**
 * `/api/v1/upload` for `/api/v1/upload/`, `/api/v1/Upload`, `/api/v1/uploads` and `/v1/upload`; any path of an endpoint for the same with a
 * slash at its end. `endpoints` have no parameters.
 */
export function nearPath(
  path: string,
  { endpointPaths, at }: { endpointPaths: string[]; at: (path: string) => Place },
): string | undefined {
  const bare = path.replace(/\/$/, '');
  const { audience, path: known } = at(bare);
  if (audience === 'key' && known !== undefined) return bare;
  const plain = bare.toLowerCase();
  if (!/^(\/api)?\/(v\d|account)\//.test(plain)) return undefined;
  const whole = plain.startsWith('/api/') ? plain : `/api${plain}`;
  return endpointPaths.includes(whole) ? whole : nearest(whole, endpointPaths);
}

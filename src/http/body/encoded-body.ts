// Refuses a compressed body and names the header: otherwise it would be reported as malformed, which does not help the client.
import type { IncomingMessage } from 'node:http';
import { invalid } from '#core/errors.ts';

export function refuseEncodedBody({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding']?.trim() ?? '';
  if (encoding === '' || encoding.toLowerCase() === 'identity') return;
  throw invalid(
    'Content-Encoding',
    `${JSON.stringify(encoding.slice(0, 60))} is not supported; send the body without compression`,
  );
}

// Signs a webhook in the format of Standard Webhooks (standardwebhooks.com, version 1).
import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** 256 bits; the format allows 192 to 512. */
export const newWebhookSecret = (): string => prefix + randomBytes(32).toString('base64');

/** One signature for each secret, the newest first; a receiver accepts the message if it knows one of them. */
export function signedHeaders(
  deliveryId: string,
  body: string,
  secrets: readonly string[],
  now: number,
): Record<string, string> {
  const id = `msg_${deliveryId}`;
  const timestamp = Math.floor(now / 1000);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}

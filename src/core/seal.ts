// Encrypts a text with a secret that is not stored, so that someone who reads the database cannot read the text.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const saltBytes = 16;
const tagBytes = 16;
/** A fixed nonce is safe here: each text has its own random salt and so its own key. */
const nonce = Buffer.alloc(12);

export function seal(secret: string, text: string): string {
  const salt = randomBytes(saltBytes);
  const cipher = createCipheriv(algorithm, keyFrom(secret, salt), nonce);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([salt, cipher.getAuthTag(), sealed]).toString('base64');
}

/** Throws if the secret is wrong or the sealed text was changed. */
export function unseal(secret: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv(algorithm, keyFrom(secret, bytes.subarray(0, saltBytes)), nonce, {
    authTagLength: tagBytes,
  });
  decipher.setAuthTag(bytes.subarray(saltBytes, saltBytes + tagBytes));
  return decipher.update(bytes.subarray(saltBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
}

function keyFrom(secret: string, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, 'tintype', 32));
}

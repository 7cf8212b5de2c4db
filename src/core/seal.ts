// Encrypts texts and bytes with a secret that is not stored, so that someone who reads the database cannot read them.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const saltBytes = 16;
const tagBytes = 16;
/** A fixed nonce is safe here: each text has its own random salt and so its own key. */
const nonce = Buffer.alloc(12);

export const seal = (secret: string, text: string): string =>
  sealBytes(secret, Buffer.from(text)).toString('base64');

/** Throws if the secret is wrong or the sealed text was changed. */
export const unseal = (secret: string, sealed: string): string =>
  unsealBytes(secret, Buffer.from(sealed, 'base64')).toString();

/** What sealing adds. */
export const sealExtraBytes = saltBytes + tagBytes;

export function sealBytes(secret: string, bytes: Buffer): Buffer {
  const salt = randomBytes(saltBytes);
  const cipher = createCipheriv(algorithm, keyFrom(secret, salt), nonce);
  const sealed = [cipher.update(bytes), cipher.final()];
  return Buffer.concat([salt, cipher.getAuthTag(), ...sealed]);
}

/** Throws if the secret is wrong or the sealed bytes were changed. */
export function unsealBytes(secret: string, sealed: Buffer): Buffer {
  const decipher = createDecipheriv(algorithm, keyFrom(secret, sealed.subarray(0, saltBytes)), nonce, {
    authTagLength: tagBytes,
  });
  decipher.setAuthTag(sealed.subarray(saltBytes, sealExtraBytes));
  return Buffer.concat([decipher.update(sealed.subarray(sealExtraBytes)), decipher.final()]);
}

function keyFrom(secret: string, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, 'tintype', 32));
}

// Ids, slugs, API keys and delete tokens, all from the system's secure random source. Spec 2.1, 5.
import { hash, randomFillSync, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const keyPrefix = 'tt_';
const secretLength = 43;
const keyChecksumLength = 6;
const keyLength = keyPrefix.length + secretLength + keyChecksumLength;

/** 119 bits: the id of an upload, a render, an account, a key. */
export const newId = (): string => randomBase62(20);

/** Without letters and digits that look alike, because people copy them from paper. */
const legible = '23456789abcdefghjkmnpqrstuvwxyz';

/** 49 bits, such as `k7wq2-9xhmt`. */
export const newRecoveryCode = (): string =>
  Array.from({ length: 10 }, () => legible[randomInt(legible.length)])
    .join('')
    .replace(/.{5}/, '$&-');

/** The id of a link key, which is in the address of its links. */
export const newLinkKeyId = (): string => `lk_${newId()}`;

export const isLinkKeyId = (text: string): boolean => text.startsWith('lk_') && isId(text.slice(3));

/** What `newId` returns. */
export const isId = (text: string): boolean => /^[0-9A-Za-z]{20}$/.test(text);

/**
 * The keys of the outputs of a render, which are their ids in hosted URLs too: the first has the render's own, the others have a number.
 */
export const outputKeys = ({ id, outputs }: { id: string; outputs: number }): string[] =>
  Array.from({ length: outputs }, (_, place) => (place === 0 ? id : `${id}-${place}`));

/** The render's id and the place of the output; undefined for what is no key of an output. */
export function parseOutputKey(key: string): { id: string; place: number } | undefined {
  const [, id, place = '0'] = /^([0-9A-Za-z]{1,64})(?:-([1-9]))?$/.exec(key) ?? [];
  return id === undefined ? undefined : { id, place: Number(place) };
}

/** The key of a variant of a picture that is stored under `key`. */
export const variantKey = (
  key: string,
  { width, format }: { width: number | undefined; format: string },
): string => `${key}_${width ?? 'full'}_${format}`;

/**
 * Whether a stored file is one of ours, and not one that was put there by others: those are not listed, copied or deleted. Its name is
 * an id, or that of an output, or that of a variant of one of these.
 */
export const isBlobKey = (text: string): boolean =>
  /^[0-9A-Za-z]{20}(?:-[1-9])?(?:_(?:full|\d{2,4})_(?:webp|jpeg|png))?$/.test(text);

/** The id of the upload or render that a stored file belongs to. */
export const ownerOf = (blobKey: string): string => blobKey.split(/[-_]/, 1)[0] ?? blobKey;

/** The shape of an id or a slug. Anything else skips the look-up: databases reject some of it, such as NUL bytes. */
export const isName = (text: string): boolean => /^[0-9A-Za-z]{1,64}$/.test(text);

/** 71 bits, short enough to read aloud; a unique index catches collisions. */
export const newSlug = (): string => randomBase62(12);

/** 256 bits for a tokenized delete URL; only its hash is stored. */
export const newDeleteToken = (): string =>
  Buffer.from(Uint8Array.from({ length: 32 }, randomByte)).toString('base64url');

/** 256 bits: the token of a link, the secret of the sessions. Without the prefix, so that only a key looks like one. */
export const newSecret = (): string => randomBase62(secretLength);

export function newApiKey(): string {
  const body = keyPrefix + randomBase62(secretLength);
  return body + checksum(body);
}

/** Checks prefix, length and checksum, so that garbage is refused without a look-up. */
export function isWellFormedApiKey(key: string): boolean {
  if (key.length !== keyLength || !/^tt_[0-9A-Za-z]+$/.test(key)) return false;
  return key.slice(-keyChecksumLength) === checksum(key.slice(0, -keyChecksumLength));
}

/** The stored form of a secret. Secrets here have 256 random bits, so a fast hash is enough. */
export const hashSecret = (secret: string): string => hash('sha256', secret);

/** Compares two hashes in constant time. */
export function sameHash(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function checksum(text: string): string {
  let value = crc32(text);
  let digits = '';
  for (let place = 0; place < keyChecksumLength; place += 1) {
    digits = base62.charAt(value % 62) + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}

/** Uniform over the alphabet: bytes from 248 up are dropped, because they would favour the first eight characters. */
function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    const byte = randomByte();
    if (byte < 248) text += base62.charAt(byte % 62);
  }
  return text;
}

/** A pool of random bytes, filled 4 KB at a time because each request needs several ids; each byte is used once. */
const randomness = Buffer.alloc(4096);
let used = randomness.length;

function randomByte(): number {
  if (used === randomness.length) {
    randomFillSync(randomness);
    used = 0;
  }
  const byte = randomness[used] ?? 0;
  randomness[used] = 0;
  used += 1;
  return byte;
}

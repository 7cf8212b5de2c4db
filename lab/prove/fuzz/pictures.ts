// Pictures of every accepted type, intact and damaged: if the signature is intact, the file is stored byte for byte under its
// type; otherwise it is refused. Damage after the signature must not break the code that reads dimensions. Spec 2.1, 4.1.
import { expectStatus, type Generator } from '#lab/prove/fuzz/case.ts';
import { formCase } from '#lab/prove/fuzz/forms.ts';
import type { Random } from '#lab/prove/fuzz/random.ts';
import * as images from '#test/support/images.ts';

const originals: Buffer[] = [
  await images.png(),
  await images.jpeg(),
  await images.gif(),
  await images.webp(),
  await images.avif(),
  await images.png(300, 2),
  await images.jpeg(64, 64),
];

export const pictures: Generator = (random, world) => {
  const original = random.pick(originals);
  const bytes = random.percent(10) ? original : damaged(random, original, originals);
  const type = typeOf(bytes);
  return formCase(random, world.keys.open, bytes, async (answer) => {
    // A damaged head can begin like markup; this file does not decide whether that is an SVG.
    if (type === undefined) return expectStatus(answer, ...(looksLikeMarkup(bytes) ? [415, 422] : [415]));
    const wrong = expectStatus(answer, 201);
    if (wrong !== undefined) return wrong;
    const upload = JSON.parse(answer.body.toString()) as Record<string, unknown>;
    if (upload['content_type'] !== type) return `told ${String(upload['content_type'])}, is ${type}`;
    if (upload['size_bytes'] !== bytes.length)
      return `told ${String(upload['size_bytes'])} of ${bytes.length} bytes`;
    if (!random.percent(10)) return undefined;
    const { status, body } = await world.read(String(upload['slug']));
    return status === 200 && body.equals(bytes)
      ? undefined
      : `read back ${status}, ${body.length} of ${bytes.length} bytes`;
  });
};

/** `others` are pictures of which a part may be put behind a part of this one. */
export function damaged(random: Random, original: Buffer, others: Buffer[]): Buffer {
  const bytes = Buffer.from(original);
  switch (random.below(7)) {
    case 0:
      return bytes.subarray(0, random.below(bytes.length));
    case 1: {
      for (let count = random.between(1, 10); count > 0; count -= 1)
        bytes[random.below(bytes.length)] = random.pick([0, 1, 0x7f, 0x80, 0xff, random.below(256)]);
      return bytes;
    }
    case 2: {
      // After the signature: sizes, counts and offsets of boxes, chunks and segments.
      for (let count = random.between(1, 6); count > 0; count -= 1) {
        const at = random.between(12, Math.max(12, Math.min(bytes.length - 5, 200)));
        if (at + 4 <= bytes.length)
          bytes.writeUInt32BE(random.pick([0, 1, 7, 0xff, 0xffff, 0x7fffffff, 0xffffffff]), at);
      }
      return bytes;
    }
    case 3: {
      const from = random.below(bytes.length);
      return Buffer.concat([
        bytes.subarray(0, from),
        random.bytes(random.between(1, 300)),
        bytes.subarray(from),
      ]);
    }
    case 4: {
      const other = random.pick(others);
      return Buffer.concat([
        bytes.subarray(0, random.below(bytes.length)),
        other.subarray(random.below(other.length)),
      ]);
    }
    case 5: {
      const from = random.below(bytes.length);
      return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + random.between(1, 20))]);
    }
    default:
      return Buffer.concat([bytes, random.percent(50) ? bytes : random.bytes(random.below(2_000))]);
  }
}

/** The signatures, taken from their standards a second time. */
function typeOf(bytes: Buffer): string | undefined {
  const text = bytes.toString('latin1', 0, 4_096);
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(text)) return 'image/gif';
  if (/^RIFF[^]{4}WEBPVP8[ LX]/.test(text)) return 'image/webp';
  if (text.slice(4, 8) !== 'ftyp' || bytes.length < 16) return undefined;
  const [short, large] = [bytes.readUInt32BE(0), Number(bytes.readBigUInt64BE(8))];
  const box = short === 1 ? text.slice(16, Math.min(large, text.length)) : text.slice(8, short);
  const brands = box.match(/[^]{4}/g) ?? [];
  const isAvif = brands.some((brand, place) => place !== 1 && (brand === 'avif' || brand === 'avis'));
  return isAvif ? 'image/avif' : undefined;
}

const looksLikeMarkup = (bytes: Buffer): boolean =>
  bytes.toString('latin1').replaceAll('\0', '').includes('<');

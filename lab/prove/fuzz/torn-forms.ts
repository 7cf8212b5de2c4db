// Damage to the bytes of a form, and to the header that announces it.
import type { Random } from '#lab/prove/fuzz/random.ts';

type Tear = (random: Random, body: Buffer, boundary: string) => [Buffer, string?];

const tears: Tear[] = [
  (random, body) => [body.subarray(0, random.below(body.length))],
  (random, body) => [Buffer.concat([body.subarray(random.below(body.length))])],
  (random, body) => [withBytes(random, body, random.bytes(random.between(1, 8)))],
  (random, body, boundary) => [
    withBytes(
      random,
      body,
      Buffer.from(
        random.pick([
          `\r\n--${boundary}`,
          `--${boundary}--`,
          '\r\n\r\n',
          '\r',
          '\0',
          '\n',
          `--${boundary}\r\n`,
        ]),
      ),
    ),
  ],
  (random, body) => {
    const flipped = Buffer.from(body);
    for (let count = random.between(1, 6); count > 0; count -= 1)
      flipped[random.below(body.length)] = random.below(256);
    return [flipped];
  },
  (random, body) => {
    const from = random.below(body.length);
    return [Buffer.concat([body.subarray(0, from), body.subarray(from + random.between(1, 40))])];
  },
  (_random, body) => [Buffer.from(body.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')],
  (random, body) => [
    body,
    random.pick([
      'multipart/form-data',
      'multipart/mixed; boundary=XX',
      'multipart/form-data; boundary=',
      'multipart/form-data; boundary="',
      'text/plain',
      `multipart/form-data; boundary=${'b'.repeat(5_000)}`,
      'multipart/form-data; boundary=\x80\xff',
    ]),
  ],
  (_random, body, boundary) => [
    Buffer.from(
      body
        .toString('latin1')
        .replaceAll('form-data; name', `form-data; x="${'y'.repeat(40_000)}"; name`)
        .slice(0, 200_000) + `--${boundary}--`,
      'latin1',
    ),
  ],
  (random, _body, boundary) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="expires_in"\r\n\r\n60\r\n`.repeat(
        random.pick([99, 100, 101, 300]),
      ) + `--${boundary}--\r\n`,
    ),
  ],
  (random, body) => [
    Buffer.from(
      body
        .toString('latin1')
        .replaceAll('Content-', `X-H${random.below(9)}: ${'v'.repeat(random.pick([10, 20_000]))}\r\nContent-`)
        .slice(0, 200_000),
      'latin1',
    ),
  ],
  (random, body) => [
    Buffer.from(
      body
        .toString('latin1')
        .replace(
          /filename="[^"]*"?/,
          random.pick([
            'filename="a',
            'filename=',
            'filename*=x',
            "filename*=UTF-8''%",
            "filename*=UTF-8''%ff%fe",
            "filename*=latin1'en'%e4",
            "filename*=klingon''a",
            'filename="a\0b"',
            'filename="a\\"',
            'filename=""; filename="b"',
            'filename="\xff\xfe"',
          ]),
        ),
      'latin1',
    ),
  ],
];

export const tear: Tear = (random, body, boundary) => random.pick(tears)(random, body, boundary);

function withBytes(random: Random, body: Buffer, bytes: Buffer): Buffer {
  const at = random.below(body.length + 1);
  return Buffer.concat([body.subarray(0, at), bytes, body.subarray(at)]);
}

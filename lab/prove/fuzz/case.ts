// A fuzz case: bytes to send, and what a correct response looks like.
import type { Answered, Asked } from '#test/support/contract.ts';
import type { Random } from '#lab/prove/fuzz/random.ts';
import type { Sent } from '#lab/prove/fuzz/wire.ts';

export interface FuzzCase {
  asked: Asked;
  sent: Sent;
  /** Closing the connection is as good as a response: the client closed it first, or did not send HTTP. */
  mayBeClosed?: boolean;
  /** What is wrong with a response that follows the contract but does not fit this request; undefined if it is right. */
  judge(answer: Answered, world: World): string | undefined | Promise<string | undefined>;
}

/** What the cases use: accounts with a key each, and hosted files. */
export interface World {
  keys: {
    /** Everything is allowed. */
    open: string;
    /** No unit is left: a valid request gets a 402. */
    spent: string;
  };
  hosted: { slug: string; id: string; deletePath: string; bytes: Buffer; etag: string; type: string };
  /** A file that is hosted, as bytes. */
  read(slug: string): Promise<Answered>;
}

export type Generator = (random: Random, world: World) => FuzzCase;

interface Request {
  method: string;
  path: string;
  headers: [name: string, value: string][];
  body?: Buffer;
}

/** Sends a length or chunks, in one piece or in several. */
export function whole(random: Random, { method, path, headers, body }: Request): Sent {
  const isChunked = body !== undefined && random.percent(30);
  const framing: [string, string][] =
    body === undefined
      ? []
      : [isChunked ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(body.length)]];
  const head = headOf(method, path, [...headers, ...framing]);
  const content = body === undefined ? [] : isChunked ? chunked(random, body) : [body];
  return { method, pieces: inPieces(random, Buffer.concat([head, ...content])) };
}

/** Announces the whole body and stops somewhere in it. */
export function cut(random: Random, { method, path, headers, body = Buffer.alloc(0) }: Request): Sent {
  const isChunked = random.percent(40);
  const framing: [string, string] = isChunked
    ? ['Transfer-Encoding', 'chunked']
    : ['Content-Length', String(body.length)];
  const content = isChunked ? Buffer.concat(chunked(random, body)) : body;
  const kept = content.subarray(0, random.below(Math.max(1, content.length)));
  const bytes = Buffer.concat([headOf(method, path, [...headers, framing]), kept]);
  return { method, pieces: inPieces(random, bytes), isCut: true };
}

export function headOf(method: string, path: string, headers: [string, string][]): Buffer {
  const lines = [['Host', 'tintype.test'], ...headers].map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
}

function chunked(random: Random, body: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  const longest = random.pick([1, 7, 100, 4_096, 65_536]);
  for (let at = 0; at < body.length;) {
    const size = Math.min(body.length - at, random.between(1, Math.max(longest, body.length >> 6)));
    chunks.push(Buffer.from(`${size.toString(16)}\r\n`), body.subarray(at, at + size), Buffer.from('\r\n'));
    at += size;
  }
  return [...chunks, Buffer.from('0\r\n\r\n')];
}

function inPieces(random: Random, bytes: Buffer): Buffer[] {
  if (random.percent(70)) return [bytes];
  const cuts = Array.from({ length: random.between(1, 4) }, () => random.below(bytes.length + 1)).sort(
    (left, right) => left - right,
  );
  return [0, ...cuts].map((from, index) => bytes.subarray(from, cuts[index] ?? bytes.length));
}

/** A list of what has no blanks in it. */
export const words = (text: string): string[] => text.split(/\s+/).filter(Boolean);

export const bearer = (key: string): [string, string] => ['Authorization', `Bearer ${key}`];

/** Each case has its own client address, so that none is refused because of another's failed keys. */
export const addressOf = (random: Random): [string, string] => [
  'X-Forwarded-For',
  `10.${random.below(256)}.${random.below(256)}.${random.below(256)}`,
];

/** Only version 2 has `field`. */
export function errorOf({ body }: Answered): { code?: string; message?: string; field?: string } {
  try {
    return (JSON.parse(body.toString()) as { error?: ReturnType<typeof errorOf> }).error ?? {};
  } catch {
    return {};
  }
}

/** Says what differs, or nothing. */
export function expectStatus(answer: Answered, ...allowed: number[]): string | undefined {
  if (allowed.includes(answer.status)) return undefined;
  return `answered ${answer.status} ${errorOf(answer).message ?? ''}, expected ${allowed.join(' or ')}`;
}

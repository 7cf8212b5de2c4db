// Upload forms: right ones in every spelling, ones with a known mistake, and ones that are torn. What a form that can be
// read must answer is decided here, by a second reading of spec 4.1 and 4.2.
import {
  addressOf,
  bearer,
  cut,
  errorOf,
  expectStatus,
  whole,
  type FuzzCase,
  type Generator,
} from '#prove/fuzz/case.ts';
import type { Random } from '#prove/fuzz/random.ts';
import type { Answered } from '#test/support/contract.ts';

interface Part {
  name: string;
  /** A plain field has none. */
  filename?: string;
  content: Buffer;
}

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==', 'base64');
const svg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><rect width="4" height="4"/></svg>',
);
const files: Buffer[] = [png, png, png, gif, svg];
const otherFiles = [Buffer.alloc(0), Buffer.from('text'), Buffer.from('%PDF-1.7\n'), Buffer.from('GIF88a')];

const names = [
  'a.png',
  'photo of me.png',
  '../../etc/passwd',
  'C:\\Users\\me\\cat.png',
  'ünï çødé 📷.png',
  'CON',
  'a.png.exe',
  '.htaccess',
  '',
  '..',
  'a\tb.png',
  'x'.repeat(3_000),
  '日本語の写真.jpeg',
  '\u202egnp.exe',
  '%00.png',
  "it's; filename=b.png",
  '<script>alert(1)</script>.svg',
];
const boundaries = [
  'XX',
  '----WebKitFormBoundary7MA4YWxkTrZu0gW',
  "a'b(c)+d_,./:=?",
  '0'.repeat(70),
  'a b',
  '-',
  '--',
];
const goodLives = ['60', '61', '3600', '2592000', '31536000'];
const badLives = [
  '59',
  '0',
  '-60',
  '31536001',
  '060',
  '60.0',
  '6e1',
  '0x3c',
  '',
  ' 60',
  '60 ',
  '+60',
  'null',
  '٦٠',
  '1'.repeat(400),
  '60\r\n',
  'true',
  '99999999999',
  '9007199254740993',
];

export const forms: Generator = (random, world) => {
  const kind = random.pick(['upload', 'upload', 'upload/batch'] as const);
  const parts = randomParts(random, kind);
  const boundary = random.percent(60) ? 'XX' : random.pick(boundaries);
  const body = write(random, parts, boundary);
  const asked = { method: 'POST', path: `/api/v1/${kind}` };
  const request = (content: Buffer, type = contentType(random, boundary)) => ({
    ...asked,
    headers: [bearer(world.keys.open), addressOf(random), ['Content-Type', type]] as [string, string][],
    body: content,
  });
  const fate = random.below(100);
  if (fate < 55)
    return { asked, sent: whole(random, request(body)), judge: (answer) => judgeForm(kind, parts, answer) };
  if (fate < 62) {
    return {
      asked,
      sent: cut(random, request(body)),
      mayBeClosed: true,
      judge: (answer) => expectStatus(answer, 413, 415, 422),
    };
  }
  const [torn, type] = tear(random, body, boundary);
  return { asked, sent: whole(random, request(torn, type)), judge: (answer) => judgeTorn(answer) };
};

function randomParts(random: Random, kind: 'upload' | 'upload/batch'): Part[] {
  const count =
    kind === 'upload' ? random.pick([1, 1, 1, 1, 1, 1, 0, 2]) : random.pick([1, 2, 2, 3, 10, 11, 0]);
  const parts: Part[] = Array.from({ length: count }, () => ({
    name: 'file',
    filename: random.pick(names),
    content: random.pick(random.percent(80) ? files : otherFiles),
  }));
  const life = (list: string[]): Part => ({ name: 'expires_in', content: Buffer.from(random.pick(list)) });
  if (random.percent(30)) insert(life(goodLives));
  if (random.percent(10)) insert(life(badLives));
  if (random.percent(3)) insert({ name: 'file', content: Buffer.from('abc') });
  if (random.percent(4))
    insert({
      name: random.pick(['File', 'image', '', 'file[]', 'constructor', '__proto__', 'expires_in ']),
      content: Buffer.from('x'),
    });
  if (random.percent(2)) insert({ name: 'expires_in', filename: 'a', content: Buffer.from('60') });
  return parts;

  function insert(part: Part): void {
    parts.splice(random.below(parts.length + 1), 0, part);
  }
}

/** RFC 7578 in the spellings that clients use. */
function write(random: Random, parts: Part[], boundary: string): Buffer {
  const pieces: Buffer[] = random.percent(5) ? [Buffer.from('a preamble\r\n')] : [];
  for (const { name, filename, content } of parts) {
    const parameters = [`form-data`, `name=${spelled(random, name)}`];
    if (filename !== undefined) parameters.push(...filenameParameters(random, filename));
    const disposition = random.pick(['Content-Disposition', 'content-disposition', 'CONTENT-DISPOSITION']);
    const lines = [`${disposition}: ${parameters.join(random.pick(['; ', ';', ' ; ']))}`];
    if (filename !== undefined && random.percent(70))
      lines.push(
        `Content-Type: ${random.pick(['image/png', 'text/html', 'application/octet-stream', 'x/y; charset=utf-16'])}`,
      );
    if (random.percent(5)) lines.push('X-Other: yes');
    if (random.percent(2)) lines.push('Content-Transfer-Encoding: binary');
    if (random.percent(20)) lines.reverse();
    pieces.push(Buffer.from(`--${boundary}\r\n${lines.join('\r\n')}\r\n\r\n`), content, Buffer.from('\r\n'));
  }
  pieces.push(Buffer.from(`--${boundary}--`));
  pieces.push(Buffer.from(random.pick(['\r\n', '\r\n', '', '\r\nan epilogue', '\r\n\r\n'])));
  return Buffer.concat(pieces);
}

const spelled = (random: Random, text: string): string =>
  /^[a-z_]+$/.test(text) && random.percent(5)
    ? text
    : `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

function filenameParameters(random: Random, filename: string): string[] {
  const encoded = `filename*=UTF-8''${encodeURIComponent(filename).replaceAll(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)}`;
  const plain = `filename=${spelled(random, filename.replaceAll(/[\r\n]/g, ''))}`;
  if (random.percent(80)) return [plain];
  return random.percent(50) ? [plain, encoded] : [encoded];
}

const contentType = (random: Random, boundary: string): string =>
  random.pick([
    'multipart/form-data; boundary=',
    'multipart/form-data;boundary=',
    'Multipart/Form-Data; charset=utf-8; Boundary=',
  ]) + (/^[\w-]+$/.test(boundary) && random.percent(80) ? boundary : `"${boundary}"`);

function judgeForm(kind: 'upload' | 'upload/batch', parts: Part[], answer: Answered): string | undefined {
  const sent = parts.filter(({ name, filename }) => name === 'file' && filename !== undefined);
  const lives = parts.filter(({ name, filename }) => name === 'expires_in' && filename === undefined);
  const isStrange = parts.some((part) => !sent.includes(part) && !lives.includes(part));
  const isLifeWrong = lives.length > 1 || lives.some(({ content }) => !isLife(content.toString()));
  // A file without a name may be taken for a field that is called "file".
  if (sent.some(({ filename }) => filename === '')) return expectStatus(answer, 201, 207, 415, 422);
  const isTooMany = kind === 'upload' ? sent.length > 1 : sent.length > 10;
  if (sent.length === 0 || isStrange || isLifeWrong || isTooMany) {
    const wrong = expectStatus(answer, 422);
    if (wrong !== undefined) return wrong;
    const { code, message = '' } = errorOf(answer);
    if (isLifeWrong && !isStrange && !isTooMany && sent.length > 0 && !message.startsWith('expires_in: '))
      return `"${message}" does not name expires_in`;
    if (code === 'too_many_files' && !isTooMany) return 'too_many_files without cause';
    return undefined;
  }
  const oks = sent.map(({ content }) => files.includes(content));
  const expected = oks.every(Boolean) ? 201 : kind === 'upload/batch' && oks.some(Boolean) ? 207 : 415;
  const wrong = expectStatus(answer, expected);
  if (wrong !== undefined) return wrong;
  if (kind === 'upload')
    return expected === 201 ? judgeLife(lives, JSON.parse(answer.body.toString()) as Stored) : undefined;
  const { items, summary } = JSON.parse(answer.body.toString()) as Batch;
  const isRight =
    items.length === sent.length &&
    items.every(
      ({ ok, index, upload, error }, at) =>
        ok === oks[at] && index === at && (upload !== undefined) === ok && (error === undefined) === ok,
    ) &&
    summary.total === sent.length &&
    summary.succeeded === oks.filter(Boolean).length &&
    summary.failed === summary.total - summary.succeeded;
  if (!isRight) return `the batch does not tell of ${oks.join()}`;
  return items.map(({ upload }) => upload && judgeLife(lives, upload)).find((fault) => fault !== undefined);
}

interface Stored {
  expires_at: string | null;
  filename: string;
}

interface Batch {
  items: { ok: boolean; index: number; upload?: Stored; error?: object }[];
  summary: { total: number; succeeded: number; failed: number };
}

const isLife = (text: string): boolean =>
  /^[1-9][0-9]*$/.test(text) && Number(text) >= 60 && Number(text) <= 31_536_000;

function judgeLife(lives: Part[], { expires_at: expiresAt, filename }: Stored): string | undefined {
  const [life] = lives;
  const seconds = life ? Number(life.content.toString()) : undefined;
  if (/[/\\\0-\x1f<>:"|?*]|^\.|^$/.test(filename) || Buffer.byteLength(filename) > 255)
    return `filename "${filename}"`;
  if (seconds === undefined) return expiresAt === null ? undefined : 'expires without being asked to';
  const apartMs = Math.abs(Date.parse(expiresAt ?? '') - Date.now() - seconds * 1_000);
  return apartMs < 60_000 ? undefined : `expires at ${expiresAt} for expires_in ${seconds}`;
}

/** Whether a torn form can still be read is the parser's to say; the answer is from the contract either way. */
function judgeTorn(answer: Answered): string | undefined {
  return expectStatus(answer, 201, 207, 413, 415, 422);
}

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

const tear: Tear = (random, body, boundary) => random.pick(tears)(random, body, boundary);

function withBytes(random: Random, body: Buffer, bytes: Buffer): Buffer {
  const at = random.below(body.length + 1);
  return Buffer.concat([body.subarray(0, at), bytes, body.subarray(at)]);
}

/** One file in a form of its own, for cases that are about the file. */
export function formCase(random: Random, key: string, content: Buffer, judge: FuzzCase['judge']): FuzzCase {
  const asked = { method: 'POST', path: '/api/v1/upload' };
  const boundary = `b${random.below(1e9)}-${random.below(1e9)}`;
  const body = Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n`),
    content,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  const headers: [string, string][] = [
    bearer(key),
    addressOf(random),
    ['Content-Type', `multipart/form-data; boundary=${boundary}`],
  ];
  return { asked, sent: whole(random, { ...asked, headers, body }), judge };
}

// Upload forms: valid ones in every spelling, ones with a known mistake, and damaged ones.
import {
  addressOf,
  bearer,
  cut,
  expectStatus,
  whole,
  words,
  type FuzzCase,
  type Generator,
} from '#lab/prove/fuzz/case.ts';
import { files, judgeForm, otherFiles, type Part } from '#lab/prove/fuzz/form-rules.ts';
import { tear } from '#lab/prove/fuzz/torn-forms.ts';
import type { Random } from '#lab/prove/fuzz/random.ts';
import type { Answered } from '#test/support/contract.ts';

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
  ...words('59 0 -60 31536001 060 60.0 6e1 0x3c +60 null ٦٠ true 99999999999 9007199254740993'),
  '',
  ' 60',
  '60 ',
  '60\r\n',
  '1'.repeat(400),
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

/** The parser decides whether a damaged form is still readable; either way the response must follow the contract. */
function judgeTorn(answer: Answered): string | undefined {
  return expectStatus(answer, 201, 207, 413, 415, 422);
}

/** One file in its own form, for cases about the file. */
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

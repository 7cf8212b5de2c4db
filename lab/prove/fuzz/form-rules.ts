// The expected response to a readable form: a second implementation of spec 4.1 and 4.2.
import { errorOf, expectStatus } from '#lab/prove/fuzz/case.ts';
import type { Answered } from '#test/support/contract.ts';

export interface Part {
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
/** These are stored. */
export const files: Buffer[] = [png, png, png, gif, svg];
/** These are none of the six types. */
export const otherFiles = [
  Buffer.alloc(0),
  Buffer.from('text'),
  Buffer.from('%PDF-1.7\n'),
  Buffer.from('GIF88a'),
];

export function judgeForm(
  kind: 'upload' | 'upload/batch',
  parts: Part[],
  answer: Answered,
): string | undefined {
  const sent = parts.filter(({ name, filename }) => name === 'file' && filename !== undefined);
  const lives = parts.filter(({ name, filename }) => name === 'expires_in' && filename === undefined);
  const isStrange = parts.some((part) => !sent.includes(part) && !lives.includes(part));
  const isLifeWrong = lives.length > 1 || lives.some(({ content }) => !isLife(content.toString()));
  // A file without a filename may be read as a field that is called "file".
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

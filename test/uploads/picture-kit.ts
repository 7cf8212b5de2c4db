// Pictures that a real worker makes of bytes.
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { openBlob } from '#storage/blobs.ts';
import type { PictureTask } from '#browser/picture-job.ts';
import type { OwnTestBrowser } from '#test/support/browser.ts';

const never = new AbortController().signal;

/** In its own size, as a PNG, unless the change says otherwise. */
export const taskOf = (bytes: Buffer, change: Partial<PictureTask> = {}): PictureTask => ({
  original: { open: async () => openBlob(Readable.from([bytes])) },
  contentType: 'image/png',
  size: null,
  width: null,
  format: 'png',
  isDrawing: false,
  timeoutMs: 30_000,
  ...change,
});

export async function makePicture(
  { browser }: Pick<OwnTestBrowser, 'browser'>,
  bytes: Buffer,
  { account = 'an account', ...change }: Partial<PictureTask> & { account?: string } = {},
): Promise<Buffer> {
  await using made = await browser.makePicture(account, taskOf(bytes, change), never);
  return readFile(made.outputs[0]!.path);
}

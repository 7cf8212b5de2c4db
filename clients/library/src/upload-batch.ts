// Sends any number of files, in order, as batches of the size that the service accepts. Spec 4.2.
import type { BatchItem, BatchResult } from './batch-result.ts';
import { uploadLimits } from './contract.ts';
import { TintypeError } from './errors.ts';
import { checkInput, FileRefused, loadFile, sizeOf, type FileInput, type LoadedFile } from './files.ts';
import type { Meta } from './meta.ts';

const { fileBytes: maxFileBytes, batchFiles: maxFiles, batchBytes: maxBytes } = uploadLimits;

export interface Progress {
  /** Bytes of file data sent so far; decreases when a request is sent again. */
  sentBytes: number;
  /** Undefined if the length of a stream is not known. */
  totalBytes: number | undefined;
}

/** Sends one batch and returns its items; `onSent` gets the fraction that was sent, from 0 to 1. */
export type SendBatch = (
  files: LoadedFile[],
  turn: number,
  onSent: ((part: number) => void) | undefined,
) => Promise<{ items: BatchItem[]; meta: Meta }>;

interface BatchOptions {
  onProgress: ((progress: Progress) => void) | undefined;
  onItem: ((item: BatchItem) => void) | undefined;
}

interface Pending {
  index: number;
  file: LoadedFile;
}

export async function uploadInBatches(
  inputs: Iterable<FileInput>,
  sendBatch: SendBatch,
  { onProgress, onItem }: BatchOptions,
): Promise<BatchResult & { meta: Meta | undefined }> {
  // A string is iterable, and each of its characters would be taken for a path.
  if (typeof inputs === 'string') throw new TypeError('uploadBatch takes a list of files, not one path');
  const files = [...inputs];
  for (const file of files) checkInput(file);
  const totalBytes = onProgress && (await totalOf(files));
  const items: BatchItem[] = [];
  let batch: Pending[] = [];
  let doneBytes = 0;
  let turn = 0;
  let meta: Meta | undefined;

  try {
    for (const [index, input] of files.entries()) {
      const loaded = await loadOrRefuse(input);
      if (loaded instanceof FileRefused) {
        record({
          ok: false,
          index,
          sourceFilename: loaded.filename,
          error: { code: loaded.code, message: loaded.message },
        });
        continue;
      }
      if (batch.length === maxFiles || bytesOf(batch) + loaded.blob.size > maxBytes) await flush();
      batch.push({ index, file: loaded });
    }
    await flush();
  } catch (error) {
    if (error instanceof TintypeError) error.partial = items.sort(byIndex);
    throw error;
  }
  items.sort(byIndex);
  const succeeded = items.filter(({ ok }) => ok).length;
  return { items, summary: { total: items.length, succeeded, failed: items.length - succeeded }, meta };

  async function flush(): Promise<void> {
    if (batch.length === 0) return;
    const sending = batch;
    const sendingBytes = bytesOf(sending);
    batch = [];
    turn += 1;
    const answer = await sendBatch(
      sending.map(({ file }) => file),
      turn,
      onProgress &&
        ((part) => onProgress({ sentBytes: doneBytes + Math.round(part * sendingBytes), totalBytes })),
    );
    doneBytes += sendingBytes;
    meta = answer.meta;
    for (const [position, item] of answer.items.entries()) {
      record({ ...item, index: sending[position]?.index ?? item.index });
    }
  }

  function record(item: BatchItem): void {
    items.push(item);
    onItem?.(item);
  }
}

async function loadOrRefuse(input: FileInput): Promise<LoadedFile | FileRefused> {
  try {
    return await loadFile(input);
  } catch (error) {
    if (error instanceof FileRefused) return error;
    throw error;
  }
}

const bytesOf = (batch: Pending[]): number => batch.reduce((sum, { file }) => sum + file.blob.size, 0);
const byIndex = (a: BatchItem, b: BatchItem): number => a.index - b.index;

/** Counts only what will be sent: a file that is too large is not. */
async function totalOf(files: FileInput[]): Promise<number | undefined> {
  const sizes = (await Promise.all(files.map(sizeOf))).filter(
    (size) => size === undefined || size <= maxFileBytes,
  );
  return sizes.some((size) => size === undefined)
    ? undefined
    : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
}

// The files of a render on their way from the worker's folder to the store or to the response.
import { outputKeys } from '#core/ids.ts';
import type { OnCrashPoint } from '#core/crash-points.ts';
import type { AdoptedFile, Blobs, OpenBlob } from '#storage/blobs.ts';
import type { RenderedFile } from '#browser/browser.ts';
import type { Output, OutputFormat } from '#browser/job.ts';
import { isExtract, outputFiles } from '#renders/output-files.ts';
import type { StoredOutput } from '#renders/stored-render.ts';

/** An extract up to this size is part of the JSON answer. */
const maxTextBytes = 1024 * 1024;

export interface Keeping {
  /** The render that they belong to. */
  id: string;
  accountId: string;
  isHosted: boolean;
  /** Whether bytes that are not hosted are stored too, for a replay. */
  isKept: boolean;
  /** Places of outputs that are also sent elsewhere. */
  sent: readonly number[];
}

export interface KeptOutputs {
  outputs: StoredOutput[];
  /** The bytes of a render that is not hosted. */
  bytes: OpenBlob | undefined;
  /** The outputs that are sent elsewhere, by place. */
  copies: Map<number, OpenBlob>;
  /** Called if the render has failed after all: closes the bytes, and deletes what was stored. */
  undo(options: { isStoreKept: boolean }): Promise<void>;
}

export function createOutputKeeper({ blobs, reached }: { blobs: Blobs; reached: OnCrashPoint }) {
  /** Makes the outputs durable, one after the other, or opens the only one. If it throws, nothing is left of them. */
  return async function keep(files: RenderedFile[], made: Output[], keeping: Keeping): Promise<KeptOutputs> {
    const { id, accountId, isHosted, isKept, sent } = keeping;
    const keys = outputKeys({ id, outputs: files.length });
    const stored: string[] = [];
    const outputs: StoredOutput[] = [];
    const copies = new Map<number, OpenBlob>();
    let bytes: OpenBlob | undefined;

    async function undo({ isStoreKept }: { isStoreKept: boolean }): Promise<void> {
      for (const blob of [bytes, ...copies.values()]) blob?.[Symbol.dispose]();
      // The orphan sweep deletes what is left here.
      if (!isStoreKept) await Promise.allSettled(stored.map((key) => blobs.delete(key)));
    }

    try {
      for (const [place, { path, ...file }] of files.entries()) {
        const { format } = made[place]!;
        const key = keys[place]!;
        const { contentType } = outputFiles[format];
        await using adopted = await blobs.adopt({ path, sizeBytes: file.sizeBytes }, accountId);
        const text = isHosted && isShownAsText(format, file.sizeBytes) ? await readText(adopted) : null;
        if (!isHosted) bytes = await adopted.open();
        if (sent.includes(place)) copies.set(place, await adopted.open());
        if (isHosted || isKept) {
          await adopted.commit(key);
          stored.push(key);
          reached('render durable');
        }
        outputs.push({ ...file, id: key, format, contentType, isHosted, text });
      }
      return { outputs, bytes, copies, undo };
    } catch (error) {
      await undo({ isStoreKept: false });
      throw error;
    }
  };
}

export const isShownAsText = (format: OutputFormat, sizeBytes: number): boolean =>
  isExtract(format) && sizeBytes <= maxTextBytes;

async function readText(file: AdoptedFile): Promise<string> {
  using blob = await file.open();
  return Buffer.concat((await blob.stream.toArray()) as Buffer[]).toString();
}

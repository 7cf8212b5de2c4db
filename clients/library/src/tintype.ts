// The client: one method per endpoint. Spec 4.
import type { BatchItem, BatchResult } from './batch-result.ts';
import { realClock, type Clock } from './clock.ts';
import type {
  PdfMetadata,
  PdfRequest,
  ScreenshotMetadata,
  ScreenshotRequest,
  UploadResult,
} from './contract.ts';
import { TintypeError } from './errors.ts';
import { loadFile, type FileInput } from './files.ts';
import { encodeForm } from './form.ts';
import { toCamel, toSnake } from './letter-case.ts';
import type { Meta } from './meta.ts';
import { callOf, checkBaseUrl, type CallOptions } from './call-options.ts';
import { isBatchBody, send, type Answer, type Retry, type Sender } from './send.ts';
import { uploadInBatches, type Progress } from './upload-batch.ts';
import type { Fetch } from './transport.ts';

export interface TintypeOptions {
  /** Where the service is, such as https://images.example.com */
  baseUrl: string;
  /** A key of the account, which begins with tt_ */
  apiKey: string;
  /** Retries of one call, all reasons together; 4 unless told. Some reasons have fewer, most have none. */
  maxRetries?: number;
  /** Called before each wait; return false to have the error instead. */
  onRetry?: (retry: Retry) => boolean | void;
  /** Another fetch, for a proxy or an agent. */
  fetch?: Fetch;
  /** Another clock, for tests. */
  clock?: Clock;
}

export interface UploadOptions extends CallOptions {
  /** Seconds until the link expires, 60 to 31,536,000. */
  expiresIn?: number;
  onProgress?: (progress: Progress) => void;
}

export interface BatchOptions extends UploadOptions {
  /** Called with each file's outcome as soon as it is known. */
  onItem?: (item: BatchItem) => void;
}

export type ScreenshotOptions = Omit<ScreenshotRequest, 'url' | 'response'> & CallOptions;
export type PdfOptions = Omit<PdfRequest, 'url' | 'response'> & CallOptions;

export interface RenderBytes {
  id: string;
  bytes: Uint8Array<ArrayBuffer>;
  contentType: string;
  durationMs: number | undefined;
}

export type WithMeta<T> = T & { meta: Meta };

/** The service's own budget, 30 s in its line, and 15 s for the way. */
const timeoutsMs = { upload: 300_000, screenshot: 105_000, pdf: 120_000 };

export class Tintype {
  readonly #sender: Sender;

  constructor(options: TintypeOptions) {
    // Called from JavaScript without any, the check below names what is missing.
    const given: Partial<TintypeOptions> = options ?? {};
    const { baseUrl, apiKey, maxRetries = 4, onRetry, fetch, clock = realClock } = given;
    // Checked here, because a header that cannot be sent would name the key in its error.
    if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)) {
      throw new TypeError('apiKey must be a text of printable characters without spaces');
    }
    if (!(maxRetries >= 0)) throw new TypeError(`maxRetries must be 0 or more, not ${maxRetries}`);
    this.#sender = {
      baseUrl: checkBaseUrl(baseUrl),
      apiKey,
      maxRetries,
      onRetry,
      fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)),
      clock,
    };
  }

  /** Stores one image and gives its links. */
  async upload(file: FileInput, options: UploadOptions = {}): Promise<WithMeta<UploadResult>> {
    const { expiresIn, onProgress } = options;
    const call = callOf(options, timeoutsMs.upload);
    const loaded = await loadFile(file);
    const { body, contentType } = encodeForm([loaded], expiresIn);
    const totalBytes = loaded.blob.size;
    const answer = await send(this.#sender, {
      path: '/api/v1/upload',
      body,
      contentType,
      ...call,
      onSent:
        onProgress &&
        ((sent) => onProgress({ sentBytes: Math.round((sent / body.size) * totalBytes), totalBytes })),
    });
    return { ...(resultOf(answer) as UploadResult), meta: answer.meta };
  }

  /** Stores any number of images; more than the service takes at once go as several batches, in order. */
  async uploadBatch(
    files: Iterable<FileInput>,
    options: BatchOptions = {},
  ): Promise<BatchResult & { meta: Meta | undefined }> {
    const call = callOf(options, timeoutsMs.upload);
    return uploadInBatches(
      files,
      async (batch, turn, onPart) => {
        const { body, contentType } = encodeForm(batch, options.expiresIn);
        const answer = await send(this.#sender, {
          path: '/api/v1/upload/batch',
          body,
          contentType,
          ...call,
          idempotencyKey: `${call.idempotencyKey}-${turn}`,
          onSent: onPart && ((sent) => onPart(sent / body.size)),
        });
        if (!isBatchBody(answer.json)) throw badAnswer(answer);
        return { items: (resultOf(answer) as BatchResult).items, meta: answer.meta };
      },
      { onProgress: options.onProgress, onItem: options.onItem },
    );
  }

  /** Captures a page: as bytes, or with `response: 'json'` as metadata with the link of a hosted image. */
  screenshot(
    url: string | URL,
    options: ScreenshotOptions & { response: 'json' },
  ): Promise<WithMeta<ScreenshotMetadata>>;
  screenshot(
    url: string | URL,
    options?: ScreenshotOptions & { response?: 'image' },
  ): Promise<WithMeta<RenderBytes>>;
  screenshot(
    url: string | URL,
    options: ScreenshotOptions & { response?: 'image' | 'json' } = {},
  ): Promise<WithMeta<RenderBytes | ScreenshotMetadata>> {
    return this.#render<ScreenshotMetadata>('screenshot', url, options);
  }

  /** Prints a page to PDF: as bytes, or with `response: 'json'` as metadata with the link of a hosted document. */
  pdf(url: string | URL, options: PdfOptions & { response: 'json' }): Promise<WithMeta<PdfMetadata>>;
  pdf(url: string | URL, options?: PdfOptions & { response?: 'pdf' }): Promise<WithMeta<RenderBytes>>;
  pdf(
    url: string | URL,
    options: PdfOptions & { response?: 'pdf' | 'json' } = {},
  ): Promise<WithMeta<RenderBytes | PdfMetadata>> {
    return this.#render<PdfMetadata>('pdf', url, options);
  }

  async #render<Metadata extends object>(
    kind: 'screenshot' | 'pdf',
    url: string | URL,
    options: CallOptions & { response?: string },
  ): Promise<WithMeta<RenderBytes | Metadata>> {
    const { signal: _signal, timeoutMs: _timeoutMs, idempotencyKey: _key, ...fields } = options;
    const answer = await send(this.#sender, {
      path: `/api/v1/${kind}`,
      body: JSON.stringify({ url: String(url), ...(toSnake(fields) as object) }),
      contentType: 'application/json',
      ...callOf(options, timeoutsMs[kind]),
    });
    const { headers, bytes, meta } = answer;
    if (options.response === 'json') return { ...(resultOf(answer) as Metadata), meta };
    const contentType = headers.get('content-type') ?? '';
    if (!/^(image|application)\/(png|jpeg|webp|pdf)$/.test(contentType)) throw badAnswer(answer);
    const duration = headers.get('x-service-duration-ms');
    return {
      id: headers.get('x-service-id') ?? '',
      bytes,
      contentType,
      durationMs: duration === null ? undefined : Number(duration),
      meta,
    };
  }
}

function resultOf(answer: Answer): object {
  if (typeof answer.json !== 'object' || answer.json === null) throw badAnswer(answer);
  // Every single result has an id; a proxy's own {} or [] has none.
  if (!isBatchBody(answer.json) && !('id' in answer.json)) throw badAnswer(answer);
  return toCamel(answer.json) as object;
}

function badAnswer({ status, headers, meta }: Answer): TintypeError {
  const type = headers.get('content-type') ?? 'no content type';
  const error = new TintypeError(
    'bad_answer',
    `the service answered ${status} with ${type} that is no result`,
    {
      status,
      meta,
    },
  );
  error.attempts = meta.attempts;
  return error;
}

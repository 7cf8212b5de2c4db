// What the calls of the client take and give.
import type { BatchItem } from './batch-result.ts';
import type { CallOptions } from './call-options.ts';
import type { Clock } from './clock.ts';
import type { PdfRequest, ScreenshotRequest } from './contract.ts';
import type { TintypeError } from './errors.ts';
import type { Meta } from './meta.ts';
import type { Waiting } from './run-all.ts';
import type { Retry } from './send.ts';
import type { Fetch } from './transport.ts';
import type { Progress } from './upload-batch.ts';

export interface TintypeOptions {
  /** Where the service is, such as https://images.example.com. Unless told: TINTYPE_URL of the environment. */
  baseUrl?: string | URL | undefined;
  /** A key of the account, which begins with tt_. Unless told: TINTYPE_API_KEY of the environment. */
  apiKey?: string | undefined;
  /** Retries of one call, all reasons together; 4 unless told. Some reasons have fewer, most have none. */
  maxRetries?: number | undefined;
  /** Called before each wait; return false to have the error instead. */
  onRetry?: ((retry: Retry) => boolean | void) | undefined;
  /** Another fetch, for a proxy or an agent. */
  fetch?: Fetch | undefined;
  /** Another clock, for tests. */
  clock?: Clock | undefined;
}

export interface UploadOptions extends CallOptions {
  /** Seconds until the link expires, 60 to 31,536,000. */
  expiresIn?: number | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}

export interface BatchOptions extends UploadOptions {
  /** Called with each file's outcome as soon as it is known. */
  onItem?: ((item: BatchItem) => void) | undefined;
}

/** Every field may also be undefined, which is the same as leaving it out. */
type Loose<T> = { [Name in keyof T]?: T[Name] | undefined };

export type ScreenshotOptions = Loose<Omit<ScreenshotRequest, 'url' | 'response'>> & CallOptions;
export type PdfOptions = Loose<Omit<PdfRequest, 'url' | 'response'>> & CallOptions;

/** How many at once, and what is told meanwhile. */
export interface RunOptions {
  /** At most so many requests at once. Unless told: as many as the account may have, which is found on the way. */
  concurrency?: number | undefined;
  /** Called when the run waits for the account's budget of requests or for room for a render. */
  onWait?: ((waiting: Waiting) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** One outcome of a run; `source` is what was given. */
export type RunItem<Source, Result> =
  | { source: Source; ok: true; result: Result }
  | { source: Source; ok: false; error: TintypeError };

export interface ListOptions extends CallOptions {
  /** Items on a page, 1 to 200; 50 unless told. */
  limit?: number | undefined;
  /** The `nextCursor` of the page before. */
  cursor?: string | null | undefined;
  /** Part of the filename or of the target address. */
  search?: string | undefined;
}

export interface RenderBytes {
  id: string;
  bytes: Uint8Array;
  contentType: string;
  durationMs: number | undefined;
}

export type WithMeta<T> = T & { meta: Meta };

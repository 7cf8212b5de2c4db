// The options and results of the client's methods.
import type { BatchItem } from './batch-result.ts';
import type { CallOptions } from './call-options.ts';
import type { Clock } from './clock.ts';
import type {
  AccountRendersQuery,
  AccountUploadsQuery,
  PageQuery,
  PdfRequest,
  RendersQuery,
  ScreenshotRequest,
  UploadsQuery,
} from './contract.ts';
import type { TintypeError } from './errors.ts';
import type { Meta } from './meta.ts';
import type { Waiting } from './run-all.ts';
import type { Retry } from './send.ts';
import type { Fetch } from './transport.ts';
import type { Progress } from './upload-batch.ts';

export interface TintypeOptions {
  /** The address of the service, such as https://images.example.com. Default: the environment variable TINTYPE_URL. */
  baseUrl?: string | URL | undefined;
  /** An API key, which begins with tt_. Default: the environment variable TINTYPE_API_KEY. */
  apiKey?: string | undefined;
  /** Retries of one call, for all reasons together; default 4. Some reasons allow fewer, most allow none. */
  maxRetries?: number | undefined;
  /** For each attempt of every call that names none of its own; 0 or Infinity means none. */
  timeoutMs?: number | undefined;
  /** Called before each wait; return false to throw the error instead. */
  onRetry?: ((retry: Retry) => boolean | void) | undefined;
  /** Name fields in messages as the API does (`full_page`), for a program whose users write them so. */
  wireNames?: boolean | undefined;
  /** Replaces fetch, for a proxy or an agent. */
  fetch?: Fetch | undefined;
  /** Replaces the clock, for tests. */
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
export type Loose<T> = { [Name in keyof T]?: T[Name] | undefined };

export type ScreenshotOptions = Loose<Omit<ScreenshotRequest, 'url' | 'response'>> & CallOptions;
export type PdfOptions = Loose<Omit<PdfRequest, 'url' | 'response'>> & CallOptions;

/** How many requests run at once, and what is reported while they run. */
export interface RunOptions {
  /** The maximum number of requests at once. Default: as many as the plan allows, which the run finds out. */
  concurrency?: number | undefined;
  /** Called when the run waits for the account's request budget or for a free capture slot. */
  onWait?: ((waiting: Waiting) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** One outcome of a run; `source` is what was given. */
export type RunItem<Source, Result> =
  | { source: Source; ok: true; result: Result }
  | { source: Source; ok: false; error: TintypeError };

/** The query of a list; `cursor` is the `nextCursor` of the previous page. */
type Listed<Query> = Loose<Omit<Query, 'cursor'>> & { cursor?: string | null | undefined } & CallOptions;

export type PageOptions = Listed<PageQuery>;
export type UploadListOptions = Listed<UploadsQuery>;
export type RenderListOptions = Listed<RendersQuery>;
export type AccountUploadsOptions = Listed<AccountUploadsQuery>;
export type AccountRendersOptions = Listed<AccountRendersQuery>;

/** `await` gives one page; `for await` gives the items of this page and of all that follow. */
export type Listing<Page extends { items: unknown[] }> = Promise<WithMeta<Page>> &
  AsyncIterable<Page['items'][number]>;

export interface HostedFile {
  bytes: Uint8Array;
  contentType: string;
  /**
   * Writes the bytes to a file, whole or not at all, and gives its path. Not in browsers.
   *
   * @throws if there is a file already, unless `overwrite` is true.
   */
  save(path: string, options?: { overwrite?: boolean | undefined }): Promise<string>;
}

export interface RenderBytes extends HostedFile {
  id: string;
  durationMs: number | undefined;
}

export type WithMeta<T> = T & { meta: Meta };

// The interface of this room: a job in, files and a receipt out. Spec 4.3, 4.4.
import type { Job } from '#browser/job.ts';
import type { PictureTask } from '#browser/picture-job.ts';

/** One output in a file of its own. */
export interface RenderedFile {
  path: string;
  sizeBytes: number;
  /** In hex. */
  sha256: string;
  /** The size of a picture, in its own pixels. */
  width: number | null;
  height: number | null;
  /** The number of pages of a PDF. */
  pages: number | null;
  /** Whether something was cut off, as the warnings say. */
  truncated: boolean;
  /** How a picture differs from the earlier one that it was compared with. */
  change?: PictureChange;
}

export interface PictureChange {
  /** The part of the pixels that is not the same, from 0 to 1. */
  difference: number;
  /** Around all of them, in pixels of the picture; null if there are none. */
  box: { x: number; y: number; width: number; height: number } | null;
}

export const maxWarnings = 50;
export const warningCodes = [
  'request_failed',
  'request_blocked',
  'script_error',
  'content_cut',
  'settle_incomplete',
  'cookie_banner_left',
  'costly_shadows',
] as const;

/** What a render has to say about its page. Addresses have lost their query strings. */
export interface Warning {
  code: (typeof warningCodes)[number];
  message: string;
  url: string | null;
  /** Set for a file that did not arrive where one request sent it: no other request is told. */
  isOfPut?: true;
}

/** What the page was at the end, in its own words, cut to a bounded length. */
export interface PageReceipt {
  /** Without its query string; null for a document of the request that has no address of its own. */
  finalUrl: string | null;
  /** The status of the main document; null if it came with the request. */
  status: number | null;
  title: string;
  /** How far it can be scrolled, in CSS pixels; null in receipts that were written before it was kept. */
  width: number | null;
  height: number | null;
  /** At most `maxWarnings`. */
  warnings: Warning[];
}

/** The files of a render, one for each output. The receiver owns them: `await using` removes those that were not moved away. */
export interface Rendered extends AsyncDisposable {
  outputs: RenderedFile[];
  page: PageReceipt;
}

export interface BrowserAbout {
  name: string;
  version: string;
  path: string;
  /** Where the executable came from, worded for the operator. */
  source: string;
  /** When its version was released, not when its file was made. */
  releasedAt: Date;
  /** How to get a newer version. */
  renewal: string;
  /** Set if a download could not be checked: who is trusted instead, worded for the operator. */
  trust?: string;
  sandboxed: boolean;
  /** Why the sandbox is off; null if it is on. */
  sandboxProblem: string | null;
  /** Scripts whose text would be invisible; empty if all of them were drawn. */
  blankScripts: string[];
}

export interface WorkerCounts {
  started: number;
  /** After so many renders, so long or with so much memory that another took its place. */
  replaced: number;
  /** It crashed, or was ended for what a page did. */
  lost: number;
  /** Nobody needed it any more. */
  idle: number;
}

export interface Browser {
  render(job: Job, signal: AbortSignal): Promise<Rendered>;
  /** One output, or rejects with PictureDeclined. */
  makePicture(account: string, task: PictureTask, signal: AbortSignal): Promise<Rendered>;
  /** The one that new workers start with. */
  readonly about: BrowserAbout;
  /** Rejects if the browser does not answer. */
  check(): Promise<void>;
  /** Its workers since the start, for the metrics. */
  workerCounts(): WorkerCounts;
  /** If there is a newer one on this machine that passes its tests, workers start with it from now on; renders end where they run. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

export type RenderFailureReason =
  | 'unresolved'
  | 'unreachable'
  | 'timed_out'
  | 'denied'
  | 'download'
  | 'no_content'
  | 'crashed'
  | 'http_error'
  | 'request_failed'
  | 'script_error'
  | 'selector_missing'
  | 'condition_unmet'
  /** Than the picture that it is compared with. */
  | 'other_size'
  | 'too_large'
  | 'unprintable'
  | 'aborted';

/** A render that failed. `message` is for the client; details meant only for the log are in `cause`. */
export class RenderFailure extends Error {
  readonly reason: RenderFailureReason;
  /** The field of the request that it is about, if it is not the source: `wait_for[0]`. */
  readonly field: string | undefined;
  /** The warnings of the page, if the client asked for the failure; at most `maxWarnings`. */
  readonly warnings: Warning[] | undefined;
  /** The browser or the page's process was lost, perhaps not because of this page: worth one retry. */
  readonly browserLost: boolean;
  /** Perhaps a script waits for time to pass, which virtual time does not while a script runs: worth one retry in real time. */
  readonly worksInRealTime: boolean;

  constructor(
    reason: RenderFailureReason,
    message: string,
    options: {
      cause?: unknown;
      field?: string;
      warnings?: Warning[];
      browserLost?: boolean;
      worksInRealTime?: boolean;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'RenderFailure';
    this.reason = reason;
    this.field = options.field;
    this.warnings = options.warnings?.slice(0, maxWarnings);
    this.browserLost = options.browserLost ?? false;
    this.worksInRealTime = options.worksInRealTime ?? false;
  }
}

/** The part of a pino logger that this room uses. */
export interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

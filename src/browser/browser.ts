// The interface of this room: a page in, a picture or a PDF out. Spec 4.3, 4.4.
import type { Phases } from '#core/phases.ts';
import type { EgressSettings } from '#browser/egress/rules.ts';

export type ScreenshotFormat = 'png' | 'jpeg' | 'webp';
export type PaperFormat = 'letter' | 'a4' | 'legal';
const mmPerInch = 25.4;

export const paperInches: Record<PaperFormat, { width: number; height: number }> = {
  letter: { width: 8.5, height: 11 },
  a4: { width: 210 / mmPerInch, height: 297 / mmPerInch },
  legal: { width: 8.5, height: 14 },
};

export type WaitUntil = 'load' | 'domcontentloaded' | 'networkidle0' | 'networkidle2';

interface Job {
  url: string;
  /** Where the page may go. */
  egress: EgressSettings;
  /** The account that the render is for: pages of two accounts never share a browser at the same time. */
  account?: string;
  /** Measures the phases `navigate`, `settle`, `capture` and `encode`, also of a render that fails. */
  phases?: Phases;
}

export interface ScreenshotJob extends Job {
  fullPage: boolean;
  format: ScreenshotFormat;
  width: number;
  height: number;
}

export interface PdfJob extends Job {
  paperFormat: PaperFormat;
  landscape: boolean;
  printBackground: boolean;
  preferCssPageSize: boolean;
  scale: number;
  marginInches: { top: number; right: number; bottom: number; left: number };
  viewport: { width: number; height: number };
  waitUntil: WaitUntil;
  delayMs: number;
}

/** A picture or a PDF in a file of its own. The receiver owns it: `await using` removes the file, unless it was moved away. */
export interface Rendered extends AsyncDisposable {
  path: string;
  sizeBytes: number;
  /** In hex. */
  sha256: string;
}

export interface BrowserAbout {
  name: string;
  version: string;
  path: string;
  /** Where the executable came from, worded for the operator. */
  source: string;
  installedAt: Date;
  /** How to get a newer version. */
  renewal: string;
  /** Of a download that could not be checked: who is trusted instead, worded for the operator. */
  trust?: string;
  sandboxed: boolean;
  /** Why the sandbox is off; null if it is on. */
  sandboxProblem: string | null;
  /** Scripts whose text would be invisible; empty if all of them were drawn. */
  blankScripts: string[];
}

export interface Browser {
  screenshot(job: ScreenshotJob, signal: AbortSignal): Promise<Rendered>;
  pdf(job: PdfJob, signal: AbortSignal): Promise<Rendered>;
  readonly about: BrowserAbout;
  /** Rejects if the browser does not answer. */
  check(): Promise<void>;
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
  | 'too_large'
  | 'unprintable'
  | 'aborted';

/** A render that failed. `message` is for the client; details meant only for the log are in `cause`. */
export class RenderFailure extends Error {
  readonly reason: RenderFailureReason;
  /** The browser was lost during the render, and perhaps for another render: worth one retry. */
  readonly browserLost: boolean;
  /** Perhaps a script waits for time to pass, which virtual time does not while a script runs: worth one retry in real time. */
  readonly worksInRealTime: boolean;

  constructor(
    reason: RenderFailureReason,
    message: string,
    options: { cause?: unknown; browserLost?: boolean; worksInRealTime?: boolean } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'RenderFailure';
    this.reason = reason;
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

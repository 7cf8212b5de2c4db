// What the service and a render worker say to each other: one JSON text a line, over the worker's standard input and output.
import type { PageReceipt, RenderedFile, RenderFailureReason, Warning } from '#browser/browser.ts';
import type { Task } from '#browser/job.ts';
import type { DeclineReason, PictureTask } from '#browser/picture-job.ts';
import type { Chromium } from '#browser/install/chromium.ts';
import type { Users } from '#browser/process/unprivileged.ts';
import type { DrawingTest } from '#browser/worker/drawing-test.ts';
import type { WallReport } from '#browser/worker/wall-test.ts';

/** The first message to a worker. */
export interface StartOrder {
  chromium: Pick<Chromium, 'executable' | 'kind' | 'libraryFolder'>;
  fontsFile: string;
  sandboxed: boolean;
  /** The folder of the browser. The worker's own is its working folder. */
  browserFolder: string;
  /** Set if the worker is started as root. */
  users: Users | null;
  niceness: number;
  /** Number of pages kept ready. */
  warmPages: number;
  /** Tests the egress wall and the fonts before the first render. */
  isTested: boolean;
}

export type ToWorker =
  | { start: StartOrder }
  /** The outputs are written to files in the worker's folder: `fileOf` says how they are called. */
  | { render: string; task: Task | PictureTask; leftMs: number }
  | { abort: string }
  | { ping: number }
  /** As a ping, but answered by the browser. */
  | { check: number }
  /** As a ping, but answered when the processes that all pages share have answered: the one that loads and the one that draws. */
  | { rest: number };

export interface Started {
  version: string;
  wall?: WallReport;
  drawing?: DrawingTest;
}

export const fileOf = (render: string, output: number): string => `${render}-${output}`;

export interface Receipt {
  outputs: Omit<RenderedFile, 'path'>[];
  page: PageReceipt;
}

export interface Failed {
  reason: RenderFailureReason;
  message: string;
  field: string | undefined;
  warnings: Warning[] | undefined;
  /** For the log. */
  cause: string;
  browserLost: boolean;
}

export type FromWorker =
  | { started: Started }
  /** The browser did not start; `detail` is what it printed. */
  | { refused: { message: string; detail: string } }
  | { render: string; phase: string }
  | { render: string; receipt: Receipt }
  | { render: string; failed: Failed }
  /** Nothing is made of a picture. */
  | { render: string; declined: DeclineReason }
  /** The worker itself failed. */
  | { render: string; broke: string }
  /** The page is discarded: nothing of the render is left in the browser. */
  | { render: string; discarded: true }
  | { pong: number }
  /** Why the browser ended the process of a page, in its own words. */
  | { complaint: string }
  /** Takes no more renders. */
  | { worn: string };

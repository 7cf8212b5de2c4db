// What the steps of one attempt to render a page share.
import type { RenderedFile } from '#browser/browser.ts';
import { isPicture, outputField, type Output, type Task } from '#browser/job.ts';
import type { Deadline } from '#browser/process/deadline.ts';
import type { Notes } from '#browser/page/notes.ts';
import type { Page } from '#browser/page/page.ts';

export interface Attempt {
  page: Page;
  task: Task;
  deadline: Deadline;
  notes: Notes;
  /** Called with the phases of the render. */
  begin: (phase: string) => void;
  /** Another page, for a part of the render. */
  openPage: () => Promise<Page>;
}

/** An output before it is written to its file. */
export interface MadeOutput extends Pick<RenderedFile, 'width' | 'height' | 'pages' | 'change'> {
  bytes: Buffer;
  /** What is missing in it, worded for the client. */
  cut: string | null;
}

/** How the request calls a field of this output. */
export function fieldOf(task: Task, output: Output, name: string): string {
  const isOf = (one: Output): boolean => one === output || (isPicture(one) && one.printed === output);
  return outputField(task, task.outputs.findIndex(isOf), name);
}

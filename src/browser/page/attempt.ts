// What the steps of one attempt to render a page share.
import type { RenderedFile } from '#browser/browser.ts';
import { isPicture, type Output, type Task } from '#browser/job.ts';
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
export function fieldOf({ outputs, isList }: Task, output: Output, name: string): string {
  if (outputs.length === 1 && isList !== true) return name;
  const place = outputs.findIndex((one) => one === output || (isPicture(one) && one.printed === output));
  return `outputs[${place}].${name}`;
}

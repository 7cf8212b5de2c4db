// The failure of an output whose selector shows nothing.
import { RenderFailure } from '#browser/browser.ts';
import type { Output } from '#browser/job.ts';
import { fieldOf, type Attempt } from '#browser/page/attempt.ts';

const words = {
  'not a selector': (selector: string) => `"${selector}" is not a valid CSS selector`,
  missing: (selector: string) => `no element of the page matches "${selector}"`,
  'without a box': (selector: string) => `the element that matches "${selector}" is hidden or has no size`,
};

export function missingElement(
  { task }: Attempt,
  output: Extract<Output, { selector: string | null }>,
  why: keyof typeof words,
): RenderFailure {
  const message = words[why](output.selector ?? '');
  return new RenderFailure('selector_missing', message, { field: fieldOf(task, output, 'selector') });
}

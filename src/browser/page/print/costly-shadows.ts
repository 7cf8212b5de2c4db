// Warns of blurred shadows in a PDF. Chromium draws each of them as a picture, which takes most of the time and size of such a document.
import type { Attempt } from '#browser/page/attempt.ts';
import { callOf } from '#browser/page/in-page/call-of.ts';
import { countShadows } from '#browser/page/in-page/count-shadows.ts';
import { evaluateInWorld } from '#browser/page/isolated-world.ts';
import { shadowsMs } from '#browser/page/time/times.ts';

/** Fewer cost too little to be worth a warning. */
const fewestShadows = 10;
const maxElements = 20_000;

/**
 * The PDF tells whether shadows were printed at all, the page whether they were shadows: a picture that can be seen through looks the
 * same in the PDF. Only a PDF with many such pictures costs a look at the page.
 */
export async function warnOfShadows({ page, notes, deadline }: Attempt, pdf: Buffer): Promise<void> {
  const drawn = countOf(pdf, '/SMask ');
  if (drawn < fewestShadows) return;
  const found = await evaluateInWorld<ReturnType<typeof countShadows>>(
    page,
    callOf(countShadows, maxElements),
    shadowsMs,
    deadline.signal,
  );
  if (!found || found.shadows < fewestShadows || drawn - found.pictures < fewestShadows) return;
  notes.warn({
    code: 'costly_shadows',
    message: `${found.shadows} elements have blurred shadows, which a PDF holds as pictures: they take most of its time and size; leave them out with @media print`,
    url: null,
  });
}

function countOf(bytes: Buffer, text: string): number {
  let count = 0;
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + text.length)) count += 1;
  return count;
}

// Fills a table of contents with the pages that its links lead to: prints, reads where the targets are, writes their numbers into the page
// and prints again, until no number changes.
import type { PdfOutput } from '#browser/job.ts';
import { fieldOf, type Attempt, type MadeOutput } from '#browser/page/attempt.ts';
import { createNumberTools } from '#browser/page/in-page/number-tools.ts';
import { openTools } from '#browser/page/isolated-world.ts';
import { ignore } from '#browser/page/page-sessions.ts';
import type { LibraryThread } from '#browser/process/library-thread.ts';
import type { PdfCalls } from '#browser/pdf/pdf-editor.ts';

/** The last one only proves that nothing moved. A page may be so made that its numbers never come to rest. */
const maxPrints = 3;

/** Does `work` with the numbers in the page, and the document that was printed with them; then the page is as before. */
export async function withPageNumbers<T>(
  { page, task, deadline: { signal }, notes }: Attempt,
  output: PdfOutput,
  editor: LibraryThread<PdfCalls>,
  print: () => Promise<MadeOutput>,
  work: (printed: MadeOutput) => Promise<T>,
): Promise<T> {
  const warn = (words: string) =>
    notes.warn({
      code: 'content_cut',
      message: `${fieldOf(task, output, 'page_numbers')}: ${words}`,
      url: null,
    });
  const tools = await openTools(page, signal, createNumberTools);
  try {
    await tools.run('keepPlaces', [], signal);
    for (let prints = 1; ; prints += 1) {
      const printed = await print();
      const { targets } = await editor.call('read', new Uint8Array(printed.bytes), signal);
      const { isChanged, missing } = await tools.run('fill', [JSON.stringify([...targets])], signal);
      if (isChanged && prints < maxPrints) continue;
      if (isChanged) warn('the numbers still moved after three prints; give them a fixed width');
      if (missing.length > 0)
        warn(`no page has the target of ${missing.map((name) => `#${name}`).join(', ')}`);
      return await work(printed);
    }
  } finally {
    ignore(tools.run('undo', [], signal));
  }
}

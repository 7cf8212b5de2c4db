// Takes text, markup and facts out of a settled page. v2 2 (extracts).
import { RenderFailure } from '#browser/browser.ts';
import type { ExtractOutput } from '#browser/job.ts';
import type { Attempt, MadeOutput } from '#browser/page/attempt.ts';
import { relativeToDocument } from '#browser/page/private-address.ts';
import { callOf } from '#browser/page/in-page/call-of.ts';
import { createExtractTools, type Extracted } from '#browser/page/in-page/extract-tools.ts';
import { findFirst } from '#browser/page/in-page/find-first.ts';
import { readMetadata } from '#browser/page/in-page/metadata.ts';
import { createToMarkdown } from '#browser/page/in-page/to-markdown.ts';
import { evaluateInWorld } from '#browser/page/isolated-world.ts';
import { readability, turndown } from '#browser/page/extract/reading-libraries.ts';
import { missingElement } from '#browser/page/missing-element.ts';
import { extractMs } from '#browser/page/time/times.ts';

const MiB = 1024 * 1024;
const maxTextBytes = 10 * MiB;
/** It holds pictures and styles, and a part of it could not be opened. */
const maxMhtmlBytes = 50 * MiB;

export async function extract(attempt: Attempt, output: ExtractOutput): Promise<MadeOutput> {
  attempt.begin('capture');
  switch (output.format) {
    case 'mhtml':
      return made(await snapshotOf(attempt));
    case 'metadata':
      return made(relativeToDocument(await metadataOf(attempt)));
    default:
      return await contentOf(attempt, output, output.format);
  }
}

const made = (text: string, cut: string | null = null): MadeOutput => ({
  bytes: Buffer.from(text),
  width: null,
  height: null,
  pages: null,
  cut,
});

async function snapshotOf({ page, deadline }: Attempt): Promise<string> {
  const { data } = await page.session.send('Page.captureSnapshot', { format: 'mhtml' }, deadline.signal);
  if (data.length <= maxMhtmlBytes) return data;
  throw new RenderFailure('too_large', `the page is larger than ${maxMhtmlBytes / MiB} MiB as MHTML`);
}

async function metadataOf({ page, deadline }: Attempt): Promise<string> {
  const metadata = await evaluateInWorld<string>(page, callOf(readMetadata), extractMs, deadline.signal);
  if (metadata === undefined) throw tooSlow('metadata');
  return metadata;
}

type ContentFormat = 'html' | 'text' | 'markdown';

/** If the library takes too long, or the page is nested too deeply for it, all of the page is given, as HTML or as text. */
async function contentOf(
  attempt: Attempt,
  output: ExtractOutput,
  format: ContentFormat,
): Promise<MadeOutput> {
  const extracted = await tryExtract(attempt, output, format);
  if (extracted) {
    const text = format === 'markdown' ? relativeToDocument(extracted.text) : extracted.text;
    return made(text, extracted.isCut ? cutWords(format) : null);
  }
  const plainFormat = format === 'html' ? 'html' : 'text';
  const plain = await tryExtract(attempt, { ...output, mainContent: false }, plainFormat);
  if (!plain) throw tooSlow(format);
  const wanted = format === 'markdown' ? 'Markdown' : 'its main content';
  return made(
    plain.text,
    `the page could not be turned into ${wanted}, because it is too large or nested too deeply; it is given whole, as ${plainFormat}`,
  );
}

/** Undefined if the page could not be read in time. */
async function tryExtract(
  attempt: Attempt,
  output: ExtractOutput,
  format: ContentFormat,
): Promise<Extracted | undefined> {
  const { selector, mainContent } = output;
  const { page, deadline } = attempt;
  const parts = [
    `(${String(findFirst)})`,
    mainContent ? readability() : 'null',
    format === 'markdown' ? `(${String(createToMarkdown)})(${turndown()})` : 'null',
    JSON.stringify({ selector, mainContent, maxBytes: maxTextBytes }),
  ];
  const expression = `(${String(createExtractTools)})(${parts.join()}).extract('${format}')`;
  type Answer = ReturnType<ReturnType<typeof createExtractTools>['extract']>;
  const answer = await evaluateInWorld<Answer>(page, expression, extractMs, deadline.signal);
  if (typeof answer === 'string') throw missingElement(attempt, output, answer);
  return answer;
}

const cutWords = (format: ContentFormat): string => `the ${format} was cut at ${maxTextBytes / MiB} MiB`;

function tooSlow(format: string): RenderFailure {
  const words = `the page is too large: its ${format} could not be read within ${extractMs / 1000} s`;
  return new RenderFailure('too_large', words);
}

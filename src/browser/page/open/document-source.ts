// A document that came with the request, and its files, at the addresses where the page finds them. They are answered inside the worker and
// never leave it: at an origin that exists only for this render, or at the public address that the client names. v2 2 (source).
import { readFile } from 'node:fs/promises';
import { newId } from '#core/ids.ts';
import type { DocumentSource } from '#browser/job.ts';
import { privateSuffix } from '#browser/page/private-address.ts';
import { literally, type Answer, type Answers } from '#browser/page/open/interception.ts';
import { markdownPage } from '#browser/page/open/markdown.ts';

export interface RequestDocument extends Answers {
  /** To open. */
  url: string;
}

export async function documentOf(source: DocumentSource, signal: AbortSignal): Promise<RequestDocument> {
  const { baseUrl, kind, text } = source;
  const given = typeof text === 'string' ? Buffer.from(text) : await readFile(text.path);
  const document = kind === 'html' ? given : Buffer.from(await markdownPage(given.toString(), signal));
  const url = new URL(baseUrl ?? `https://${newId().toLowerCase()}${privateSuffix}/`);
  const answers = new Map<string, Answer>();
  for (const { name, contentType, path } of source.files) {
    const address = URL.parse(name, url);
    // Never in the place of another site.
    if (address?.origin !== url.origin) continue;
    answers.set(withoutFragment(address), { status: 200, contentType, read: () => readFile(path) });
  }
  answers.set(withoutFragment(url), {
    status: 200,
    contentType: 'text/html; charset=utf-8',
    read: async () => document,
  });
  return { url: url.href, ...(baseUrl === null ? everyAddress(url, answers) : theseAddresses(answers)) };
}

function theseAddresses(answers: Map<string, Answer>): Answers {
  return { patterns: Array.from(answers.keys(), literally), find: (address) => answers.get(address) };
}

/** `font.woff2?v=3` is the file font.woff2. */
function everyAddress({ origin }: URL, answers: Map<string, Answer>): Answers {
  return {
    patterns: [`${origin}/*`],
    find: (address) =>
      address.startsWith(`${origin}/`)
        ? (answers.get(address) ?? answers.get(withoutQuery(address)) ?? missing)
        : undefined,
  };
}

const missing: Answer = {
  status: 404,
  contentType: 'text/plain',
  read: async () => Buffer.from('The request has no file of this name.'),
};

const withoutFragment = ({ href }: URL): string => href.split('#', 1)[0]!;
const withoutQuery = (address: string): string => address.split('?', 1)[0]!;

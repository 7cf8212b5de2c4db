// Markdown of the request as a page: CommonMark with GitHub's tables and task lists, HTML included, and a plain style sheet. v2 2 (source).
// There are texts that take the library minutes, or more stack or memory than there is: so it runs in a thread.
import type * as marked from 'marked';
import { RenderFailure } from '#browser/browser.ts';
import { inTime } from '#browser/page/time/at-most.ts';
import { openLibraryFile } from '#browser/process/library-file.ts';
import { openLibraryThread } from '#browser/process/library-thread.ts';

/** A megabyte of prose takes half a second. */
const limitMs = 10_000;
const memoryMb = 256;
const tooLarge = (cause: unknown) =>
  new RenderFailure('too_large', 'the Markdown is nested too deeply, or takes too long to read', {
    cause,
    field: 'markdown',
  });

const library = openLibraryFile(new URL('marked.umd.js', import.meta.resolve('marked')).href);

interface Calls {
  pageOf(text: string): string;
}

export async function markdownPage(text: string, signal: AbortSignal, withinMs = limitMs): Promise<string> {
  await using thread = openLibraryThread<Calls>({
    library: library(),
    create: createCalls,
    data: plainStyles,
    memoryMb,
    unreadable: tooLarge,
    tooLarge,
  });
  const late = () => tooLarge(`it took longer than ${withinMs} ms`);
  return await inTime(withinMs, signal, late, (until) => thread.call('pageOf', text, until));
}

function createCalls({ Marked }: typeof marked, styles: string): Calls {
  const textOf = (token: marked.Token): string => {
    if ('tokens' in token && token.tokens) return token.tokens.map(textOf).join('');
    return token.type === 'html' ? '' : 'text' in token ? String(token.text) : '';
  };

  return {
    pageOf(text) {
      const markdown = new Marked({ gfm: true });
      const tokens = markdown.lexer(text);
      const heading = tokens.find(({ type }) => type === 'heading');
      const title = heading ? textOf(heading).replaceAll('&', '&amp;').replaceAll('<', '&lt;') : '';
      return `<!doctype html>
<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${styles}</style></head>
<body>
${markdown.parser(tokens)}</body></html>
`;
    },
  };
}

/** In a layer, so that any rule of the client's own styles wins. */
const plainStyles = `@layer {
  :root { color-scheme: light dark }
  body { max-width: 46rem; margin: 2rem auto; padding: 0 1.5rem; font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: break-word }
  h1, h2, h3, h4, h5, h6 { margin: 1.6em 0 .6em; line-height: 1.25; break-after: avoid }
  h1 { font-size: 2em } h2 { font-size: 1.5em } h3 { font-size: 1.2em } h4, h5, h6 { font-size: 1em }
  body > :first-child { margin-top: 0 }
  p, ul, ol, dl, blockquote, table, pre { margin: 0 0 1em }
  img, svg, video { max-width: 100%; height: auto }
  a { color: light-dark(#0a58ca, #7ab0ff) }
  code, pre, kbd { font: .875em/1.5 ui-monospace, monospace; background: color-mix(in srgb, currentcolor 8%, transparent); border-radius: .25em }
  code, kbd { padding: .15em .35em }
  pre { padding: .8em 1em; overflow: auto; white-space: pre-wrap }
  pre code { padding: 0; font: inherit; background: none }
  blockquote { margin-left: 0; padding-left: 1em; border-left: .25em solid color-mix(in srgb, currentcolor 25%, transparent) }
  table { border-collapse: collapse }
  th, td { padding: .35em .75em; border: 1px solid color-mix(in srgb, currentcolor 25%, transparent) }
  hr { margin: 2em 0; border: 0; border-top: 1px solid color-mix(in srgb, currentcolor 25%, transparent) }
  li:has(> input[type=checkbox]) { list-style: none }
  li > input[type=checkbox] { margin: 0 .4em 0 -1.4em }
  @media print { body { max-width: none; margin: 0; padding: 0 } pre, blockquote, tr, img { break-inside: avoid } }
}`;

// The pages of docs/ as HTML, in the order of their index, docs/README.md. They are the project's own texts, so nothing is sanitized.
import { dirname, join, posix } from 'node:path';
import type { Marked, RendererObject, Token, Tokens } from 'marked';
import { root } from '#core/programs.ts';
import { readStaticFolder, type StaticFile } from '#site/pages/static-files.ts';

const docs = join(root, 'docs');

/** A part of a page, as the search finds it. */
export interface Found {
  url: string;
  page: string;
  title: string;
  text: string;
}

interface HandbookPage {
  /** Its path in docs/, without the ending: `guides/pdfs`. */
  path: string;
  title: string;
  markup: string;
  sections: Found[];
}

export interface Handbook {
  index: HandbookPage | undefined;
  groups: { title: string; pages: HandbookPage[] }[];
  /** Pages that others link to. */
  decisions: HandbookPage[];
  pictures: Map<string, StaticFile>;
}

export const urlOf = (path: string): string => posix.join('/docs', path).replace(/\/README$/, '');

/** The anchor of a heading, as GitHub makes it. */
export const anchorOfHeading = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** Loads the library for Markdown, so it is called only when a page is asked for. */
export async function readHandbook(): Promise<Handbook> {
  const { Marked } = await import('marked');
  const texts = new Map(
    ['', 'guides', 'tools', 'self-hosting', 'decisions'].flatMap((folder) =>
      [...readStaticFolder(join(docs, folder))]
        .filter(([name]) => name.endsWith('.md'))
        .map(([name, { bytes }]) => [posix.join(folder, name.slice(0, -'.md'.length)), bytes.toString()]),
    ),
  );
  const pictures = readStaticFolder(join(docs, 'pictures'));
  const pageOf = (path: string): HandbookPage =>
    convert(new Marked({ gfm: true, renderer: rendererFor(path, texts) }), path, texts);
  const index = texts.get('README');
  return {
    index: index === undefined ? undefined : pageOf('README'),
    groups: (index ?? '')
      .split(/^## /m)
      .slice(1)
      .map((group) => ({
        title: group.slice(0, group.indexOf('\n')),
        // Each line is "- [title](path.md): what it is about".
        pages: group
          .split('\n')
          .filter((line) => line.startsWith('- ['))
          .map((line) => pageOf(line.slice(line.indexOf('](') + 2, line.indexOf('.md)')))),
      })),
    decisions: [...texts.keys()].filter((path) => path.startsWith('decisions/')).map(pageOf),
    pictures,
  };
}

function convert(marked: Marked, path: string, texts: Map<string, string>): HandbookPage {
  const tokens = marked.lexer(texts.get(path) ?? '');
  const title = textOf(tokens.find(({ type }) => type === 'heading'));
  const url = urlOf(path);
  // A section begins with a heading of the second level; what comes before is the page itself.
  const parts: { heading: Token | undefined; tokens: Token[] }[] = [{ heading: undefined, tokens: [] }];
  for (const token of tokens) {
    if (token.type === 'heading' && token['depth'] === 2) parts.push({ heading: token, tokens: [] });
    parts.at(-1)?.tokens.push(token);
  }
  return {
    path,
    title,
    markup: marked.parser(tokens),
    sections: parts.map(({ heading, tokens: own }) => ({
      url: heading ? `${url}#${anchorOfHeading(textOf(heading))}` : url,
      page: title,
      title: heading ? textOf(heading) : title,
      text: own.slice(1).map(textOf).join(' '),
    })),
  };
}

/** What a reader sees of a token. */
function textOf(token: Token | undefined): string {
  if (token === undefined || token.type === 'html') return '';
  const { tokens, items, header, rows, text } = token as {
    tokens?: Token[];
    items?: Token[];
    header?: { tokens: Token[] }[];
    rows?: { tokens: Token[] }[][];
    text?: string;
  };
  const cells = header && [...header, ...(rows ?? []).flat()].flatMap((cell) => cell.tokens);
  const inside = tokens ?? items ?? cells;
  const isInline = token.type === 'paragraph' || token.type === 'heading' || token.type === 'text';
  return inside ? inside.map(textOf).join(isInline ? '' : ' ') : (text ?? '');
}

const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Marked's own markup with anchors, tables that scroll, blocks that can be copied, and links within the service. */
const rendererFor = (path: string, texts: Map<string, string>): RendererObject => ({
  heading({ tokens, depth }: Tokens.Heading) {
    const title = tokens.map(textOf).join('');
    const id = anchorOfHeading(title);
    const anchor = `<a class="anchor" href="#${id}" aria-label="Link to ${escape(title)}">#</a>`;
    const inner = this.parser.parseInline(tokens);
    return depth === 1 ? `<h1>${inner}</h1>\n` : `<h${depth} id="${id}">${inner} ${anchor}</h${depth}>\n`;
  },
  code({ text, lang }: Tokens.Code) {
    const label = lang ? `Example, ${lang}` : 'Example';
    return `<pre tabindex="0" aria-label="${escape(label)}"><code>${escape(text)}</code></pre>\n`;
  },
  table(token: Tokens.Table) {
    const row = (cells: Tokens.TableCell[], tag: string): string =>
      `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
    const label = token.header.map(({ text }) => text).join(', ');
    const head = token.header.some(({ text }) => text !== '')
      ? `<thead>${row(token.header, 'th')}</thead>`
      : '';
    return `<div class="scroll" tabindex="0" role="region" aria-label="Table: ${escape(label)}"><table>${head}<tbody>${token.rows
      .map((cells) => row(cells, 'td'))
      .join('')}</tbody></table></div>\n`;
  },
  link({ href, tokens }: Tokens.Link) {
    const inner = this.parser.parseInline(tokens);
    const target = targetOf(href, path, texts);
    return target === undefined ? inner : `<a href="${escape(target)}">${inner}</a>`;
  },
  image({ href, text }: Tokens.Image) {
    return `<img src="/docs/pictures/${escape(posix.basename(href))}" alt="${escape(text)}" loading="lazy" />`;
  },
  // Comments for programs.
  html: () => '',
});

/** The address of a link in the service; none for files that only the repository has. */
function targetOf(href: string, path: string, texts: Map<string, string>): string | undefined {
  if (/^(https?:|#|\/)/.test(href)) return href;
  const [file = '', anchor] = href.split('#');
  const page = posix.join(dirname(path), file).replace(/\.md$/, '');
  return texts.has(page) ? urlOf(page) + (anchor ? `#${anchor}` : '') : undefined;
}

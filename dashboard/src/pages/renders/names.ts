// What a render is called in lists, and the form in which it is made again.
import type { Render } from '#console/views.ts';

export const kinds: Record<Render['kind'], string> = {
  screenshot: 'Screenshot',
  pdf: 'PDF',
  extract: 'Extract',
};

export const formatNames: Record<Render['formats'][number], string> = {
  png: 'PNG',
  jpeg: 'JPEG',
  webp: 'WebP',
  pdf: 'PDF',
  html: 'HTML',
  mhtml: 'Web archive',
  text: 'Text',
  markdown: 'Markdown',
  metadata: 'Metadata',
  accessibility: 'Accessibility tree',
};

/** What was made of the page. */
export const madeOf = ({ kind, formats }: Render): string =>
  formats.length > 1 || kind === 'extract'
    ? formats.map((format) => formatNames[format]).join(', ') || kinds[kind]
    : kinds[kind];

/** The title of the page, or its address. */
export const titleOf = (render: Render): string => render.title ?? nameOf(render);

export const nameOf = ({ target }: Render): string => targetName(target);

/** The address of the page. A document that came with the request may have none. */
export const targetName = (target: string): string =>
  isUnnamed(target) ? (documents[target.slice('about:'.length)] ?? 'A document') : target;

const documents: Record<string, string> = { html: 'An HTML document', markdown: 'A Markdown document' };

const isUnnamed = (target: string): boolean => target.startsWith('about:');

/** The query of the playground: of several outputs the first, of a document all but itself. */
export function repeatOf({
  version,
  kind,
  source,
  target,
  options,
  url,
  reference,
}: Render): URLSearchParams {
  const { outputs: [output] = [], ...rest } = options as { outputs?: object[] };
  const page =
    source === 'url' ? { url: target } : { [source]: '', ...(!isUnnamed(target) && { base_url: target }) };
  const body = { ...page, ...rest, ...output, ...(url !== null && { response: 'json' }) };
  return new URLSearchParams({
    tab: version === 2 ? 'render' : kind,
    body: JSON.stringify(reference === null ? body : { ...body, reference }),
  });
}

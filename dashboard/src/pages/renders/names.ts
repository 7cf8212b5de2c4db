// What a render is called in lists, and the form in which it is made again.
import type { Render } from '#http/dashboard/views.ts';

export const kinds: Record<Render['kind'], string> = {
  screenshot: 'Screenshot',
  pdf: 'PDF',
  extract: 'Extract',
};

/** What was made of the page: its kind, or all formats if there are several. */
export const madeOf = ({ kind, formats }: Render): string =>
  formats.length > 1 || kind === 'extract' ? [kinds[kind], ...formats].join(', ') : kinds[kind];

/** The address of the page. A document that came with the request may have none. */
export const nameOf = ({ target }: Render): string =>
  isUnnamed(target) ? `A document (${target.slice('about:'.length)})` : target;

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

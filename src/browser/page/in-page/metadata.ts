// What a page says about itself, as JSON. Run in the isolated world of a page, as page-tools.ts. Addresses keep their query strings:
// they are content of the page.

export function readMetadata(): string {
  const [maxCharacters, maxEntries, maxLinks] = [2_000, 100, 1_000];

  const text = (value: unknown): string | null =>
    typeof value === 'string' ? value.trim().slice(0, maxCharacters).toWellFormed() || null : null;

  const address = (value: unknown): string | null => {
    const given = text(value);
    const url = given === null ? null : URL.parse(given, document.baseURI);
    return url && /^https?:$/.test(url.protocol) ? text(url.href) : null;
  };

  /** The first that is there and not empty. */
  const first = <T>(
    read: (value: unknown) => T | null,
    ...places: [selector: string, attribute: string][]
  ) => {
    for (const [selector, attribute] of places) {
      for (const element of document.querySelectorAll(selector)) {
        const value = read(attribute === '' ? element.textContent : element.getAttribute(attribute));
        if (value !== null) return value;
      }
    }
    return null;
  };

  /** By the rest of their names: `og:image:width` is `image:width`. */
  const named = (prefix: string): Record<string, string> => {
    const entries = new Map<string, string>();
    for (const element of document.querySelectorAll(`meta[property^="${prefix}"],meta[name^="${prefix}"]`)) {
      const name = text(
        (element.getAttribute('property') ?? element.getAttribute('name') ?? '').slice(prefix.length),
      );
      const value = text(element.getAttribute('content'));
      if (name !== null && value !== null && !entries.has(name) && entries.size < maxEntries)
        entries.set(name, value);
    }
    return Object.fromEntries(entries);
  };

  const date = (value: unknown): string | null => {
    const time = Date.parse(text(value) ?? '');
    return Number.isNaN(time) ? null : new Date(time).toISOString();
  };

  /** Only looked for, not parsed. */
  const dateInData = (): string | null => {
    for (const { textContent } of document.querySelectorAll('script[type="application/ld+json"]')) {
      const [, rest = ''] = (textContent ?? '').split('"datePublished"', 2);
      const [, value] = rest.slice(0, 100).split('"', 2);
      const found = date(value);
      if (found !== null) return found;
    }
    return null;
  };

  const links = new Set<string>();
  for (const element of document.querySelectorAll('a[href],area[href]')) {
    const link = address(element.getAttribute('href'));
    if (link !== null && links.size < maxLinks) links.add(link);
  }

  return JSON.stringify({
    title: text(document.title),
    description: first(
      text,
      ['meta[name="description" i]', 'content'],
      ['meta[property="og:description"]', 'content'],
    ),
    language: first(text, [':root[lang]', 'lang'], ['meta[http-equiv="content-language" i]', 'content']),
    canonical_url: first(
      address,
      ['link[rel~="canonical" i]', 'href'],
      ['meta[property="og:url"]', 'content'],
    ),
    site_name: first(
      text,
      ['meta[property="og:site_name"]', 'content'],
      ['meta[name="application-name" i]', 'content'],
    ),
    image: first(
      address,
      ['meta[property="og:image"]', 'content'],
      ['meta[name="twitter:image"],meta[property="twitter:image"]', 'content'],
    ),
    icon: first(address, ['link[rel~="icon" i]', 'href'], ['link[rel~="apple-touch-icon" i]', 'href']),
    author: first(
      text,
      ['meta[name="author" i]', 'content'],
      ['meta[property="article:author"]', 'content'],
      ['[itemprop~="author"] [itemprop~="name"],[rel~="author"]', ''],
    ),
    published_at:
      first(
        date,
        ['meta[property="article:published_time"]', 'content'],
        ['meta[name="date" i],meta[name="pubdate" i]', 'content'],
        ['[itemprop~="datePublished"]', 'content'],
        ['[itemprop~="datePublished"],time[pubdate]', 'datetime'],
      ) ?? dateInData(),
    open_graph: named('og:'),
    twitter: named('twitter:'),
    links: [...links],
  });
}

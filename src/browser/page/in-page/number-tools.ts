// Writes page numbers into the links of a table of contents. Run in the isolated world of a page, as page-tools.ts.

export function createNumberTools() {
  const most = 20_000;
  const links = [...document.querySelectorAll('a[data-page][href^="#"]')]
    // Those of an SVG have no text of their own.
    .filter((link) => link instanceof HTMLAnchorElement)
    .slice(0, most)
    .map((link) => {
      const before = [...link.childNodes];
      // Words stay, and the number comes after them; a number or a dash that only keeps the place does not.
      const words = /\p{L}/u.test(link.textContent) ? before : [];
      return { link, before, words, target: link.hash.slice(1), text: '' };
    });
  type Link = (typeof links)[number];

  function write(link: Link, text: string): void {
    link.text = text;
    const { words } = link;
    link.link.replaceChildren(...words, words.length > 0 ? ` ${text}` : text);
  }

  /** A link without a text has no place on the paper, and then its target is not in the PDF. */
  function keepPlaces(): number {
    for (const link of links) write(link, '00');
    return links.length;
  }

  /** `numbers` is JSON. Returns whether anything changed, and the targets that are on no page. */
  function fill(numbers: string): { isChanged: boolean; missing: string[] } {
    const byTarget = new Map(JSON.parse(numbers) as [string, number][]);
    let isChanged = false;
    const missing = new Set<string>();
    for (const link of links) {
      const number = byTarget.get(link.target);
      if (number === undefined) missing.add(link.target);
      const text = number === undefined ? '' : String(number);
      if (text === link.text) continue;
      isChanged = true;
      write(link, text);
    }
    return { isChanged, missing: [...missing].slice(0, 20).map((target) => target.slice(0, 100)) };
  }

  function undo(): void {
    for (const { link, before } of links) link.replaceChildren(...before);
  }

  return { keepPlaces, fill, undo };
}

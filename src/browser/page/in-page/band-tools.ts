// Lays out the texts of a margin, one band for each, in a document of their own. Run in the isolated world of a page, as page-tools.ts;
// the document itself runs no scripts.

export function createBandTools() {
  const sheet = new CSSStyleSheet();
  const bands = (): HTMLElement[] => [...document.body.children] as HTMLElement[];

  /**
   * Lengths are in CSS pixels. A band is a box that nothing leaves, neither fixed parts nor forced breaks. Its page is a little taller,
   * because a page of a fraction of a pixel less would push half of it to the next.
   */
  function prepare(width: number, height: number, pageHeight: number, margins: string): void {
    sheet.replaceSync(`
      @page { size: ${width}px ${pageHeight}px !important; margin: 0 !important }
      :root { ${margins} }
      html, body { display: block !important; width: auto !important; height: auto !important; min-height: 0 !important; margin: 0 !important;
        padding: 0 !important; border: 0 !important; position: static !important; columns: auto !important; overflow: visible !important;
        background: none !important; transform: none !important; zoom: 1 !important }
      *, ::before, ::after { break-before: auto !important; break-after: auto !important; page: auto !important }
      body > margin-band.margin-band { display: flex !important; flex-flow: column !important; justify-content: safe center !important;
        contain: strict !important; position: relative !important; float: none !important; box-sizing: border-box !important;
        width: ${width}px !important; min-width: 0 !important; max-width: none !important;
        height: ${height}px !important; min-height: 0 !important; max-height: none !important;
        margin: 0 !important; border: 0 !important; padding: 0 var(--margin-right) 0 var(--margin-left) !important;
        overflow: hidden !important; break-after: page !important }
      body > margin-band.margin-band:last-child { break-after: auto !important }
      margin-band > margin-text { display: block; flex: none }`);
    if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
  }

  /** Then each band needs a document of its own: the styles of one count for all. */
  function hasPageInStyles(html: string): boolean {
    const template = document.createElement('template');
    template.innerHTML = html;
    const styles = [...template.content.querySelectorAll('style, link')];
    return styles.some(({ outerHTML }) => outerHTML.includes('{{page}}'));
  }

  /** `values` is JSON: for each band, what stands for each placeholder, as HTML. */
  function fill(html: string, values: string): void {
    const made = (JSON.parse(values) as Record<string, string>[]).map((texts) => {
      const band = document.createElement('margin-band');
      band.className = 'margin-band';
      const text = document.createElement('margin-text');
      text.innerHTML = html.replace(/\{\{(\w+)\}\}/g, (whole, name: string) =>
        Object.hasOwn(texts, name) ? texts[name]! : whole,
      );
      band.append(text);
      return band;
    });
    document.body.replaceChildren(...made);
  }

  /** How tall and wide the largest band would have to be, and how many are too small. */
  function overflow() {
    const large = bands().filter(
      ({ scrollHeight, clientHeight, scrollWidth, clientWidth }) =>
        scrollHeight > clientHeight || scrollWidth > clientWidth,
    );
    return {
      count: large.length,
      first: bands().indexOf(large[0]!),
      height: Math.max(0, ...large.map(({ scrollHeight }) => scrollHeight)),
      isTooWide: large.some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth),
    };
  }

  return { prepare, hasPageInStyles, fill, overflow };
}

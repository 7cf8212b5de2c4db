// Adds the client's styles to a document. Adopted style sheets apply whatever the page's content security policy says. Run in a world of
// its own, from the start of each document, and again later: a page may replace the list of its adopted sheets.

export function adoptStyles(css: string, hidden: string[]): void {
  if (window !== window.top) return;
  const world = globalThis as { sheets?: CSSStyleSheet[] };
  world.sheets ??= [sheetOf(css), hidingSheet()];
  const missing = world.sheets.filter((sheet) => !document.adoptedStyleSheets.includes(sheet));
  document.adoptedStyleSheets.push(...missing);

  function sheetOf(text: string): CSSStyleSheet {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  }

  /** In a layer, because what is important there is stronger than what is important outside, however specific. */
  function hidingSheet(): CSSStyleSheet {
    const sheet = sheetOf('@layer {}');
    const layer = sheet.cssRules[0] as CSSLayerBlockRule;
    for (const selector of hidden) {
      try {
        layer.insertRule(`${selector} { display: none !important }`);
      } catch {
        // What is no selector hides nothing, and the others still do.
      }
    }
    return sheet;
  }
}

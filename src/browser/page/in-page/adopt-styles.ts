// Adds the client's styles to a document. Adopted style sheets apply whatever the page's content security policy says. Run in a world of
// its own, from the start of each document, and again later: a page may replace the list of its adopted sheets.

export function adoptStyles(css: string, hidden: string[]): void {
  if (window !== window.top) return;
  const world = globalThis as { sheets?: CSSStyleSheet[] };
  world.sheets ??= [sheetOf(css), hidingSheet()];
  const missing = world.sheets.filter((sheet) => !document.adoptedStyleSheets.includes(sheet));
  document.adoptedStyleSheets.push(...missing);
  for (const selector of hidden) hideInsistent(selector);

  function sheetOf(text: string): CSSStyleSheet {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  }

  /** What is important in an element's own style is stronger than any sheet. */
  function hideInsistent(selector: string): void {
    try {
      for (const element of document.querySelectorAll<HTMLElement>(selector))
        if (getComputedStyle(element).display !== 'none')
          element.style.setProperty('display', 'none', 'important');
    } catch {
      // It is no selector.
    }
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

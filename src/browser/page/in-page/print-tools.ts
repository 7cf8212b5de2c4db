// Prepares a page for its paper. Run in the isolated world of a page, as page-tools.ts.

export function createPrintTools() {
  // Looking at one takes microseconds, so these take a second.
  const maxElements = 50_000;
  const names = ['height', 'min-height', 'max-height'] as const;
  type Styled = HTMLElement | SVGElement;
  const heightsOf = (element: Styled): string[] => {
    const style = getComputedStyle(element);
    return names.map((name) =>
      name === 'height' && fillsViewport(element) ? '' : style.getPropertyValue(name),
    );
  };
  /** A page without a doctype does so however little it holds, and its sheet is to be as tall as what it holds. */
  const fillsViewport = (element: Styled): boolean =>
    document.compatMode === 'BackCompat' &&
    (element === document.documentElement || element === document.body) &&
    String(element.computedStyleMap().get('height')) === 'auto';

  const sheet = new CSSStyleSheet();

  /** Against the page's own style sheets. */
  function setPageSize(size: string): void {
    setStyles(`@page { size: ${size} !important; }`);
  }

  const changed: { style: CSSPageRule['style']; text: string }[] = [];

  /**
   * In place of the margins that style sheets give all pages; `margins` is JSON. They are changed where they stand, because a rule of another
   * sheet would also count for the first page and for named ones, whatever those say.
   */
  function setMargins(margins: string): void {
    const sides = Object.entries(JSON.parse(margins) as Record<string, string>);
    const visit = (rules: CSSRuleList): void => {
      for (const rule of rules) {
        if (rule instanceof CSSPageRule && rule.selectorText === '') {
          const { style } = rule;
          changed.push({ style, text: style.cssText });
          for (const [name, value] of sides) style.setProperty(name, value, style.getPropertyPriority(name));
        } else if (rule instanceof CSSImportRule) visitSheet(rule.styleSheet);
        else if (rule instanceof CSSGroupingRule) visit(rule.cssRules);
      }
    };
    const visitSheet = (given: CSSStyleSheet | null): void => {
      try {
        if (given) visit(given.cssRules);
      } catch {
        // The sheet is of another origin.
      }
    };
    for (const given of [...document.styleSheets, ...document.adoptedStyleSheets]) visitSheet(given);
  }

  /** A forced break would begin another page. */
  function setSinglePage(size: string, margin: string): void {
    setStyles(`@page { size: ${size} !important; margin: ${margin} !important; }
      *, ::before, ::after { break-before: auto !important; break-after: auto !important; page: auto !important; }`);
  }

  function setStyles(styles: string): void {
    sheet.replaceSync(styles);
    if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
  }

  let inView: [Styled, string[]][] = [];

  function rememberHeights(): void {
    const elements = [...document.querySelectorAll<Styled>('*')].slice(0, maxElements);
    inView = elements.map((element) => [element, heightsOf(element)]);
  }

  const frozen: { style: CSSStyleDeclaration; name: string; value: string; priority: string }[] = [];

  /**
   * To be called in a viewport of another height. What is as tall as the viewport (`100vh`) would be as tall as the long sheet, so its
   * height stays what it was.
   */
  function freezeHeights(): void {
    // All are read before the first is changed, so that the page is laid out once.
    const now = inView.map(([element]) => heightsOf(element));
    for (const [index, [{ style }, before]] of inView.entries()) {
      for (const [which, name] of names.entries()) {
        const height = before[which]!;
        if (now[index]![which] === height) continue;
        const priority = style.getPropertyPriority(name);
        frozen.push({ style, name, value: style.getPropertyValue(name), priority });
        style.setProperty(name, height, 'important');
      }
    }
  }

  function undo(): void {
    for (const { style, text } of changed.splice(0)) style.cssText = text;
    for (const { style, name, value, priority } of frozen.splice(0)) style.setProperty(name, value, priority);
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
  }

  function size() {
    const { scrollWidth, scrollHeight } = document.scrollingElement ?? document.documentElement;
    return { width: innerWidth, height: innerHeight, contentWidth: scrollWidth, contentHeight: scrollHeight };
  }

  return { setPageSize, setMargins, setSinglePage, rememberHeights, freezeHeights, undo, size };
}

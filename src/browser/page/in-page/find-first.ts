// Run in a page.

/** In the document, then in its open shadow roots, in the order of the document. Throws a SyntaxError if it is not a selector. */
export function findFirst(selector: string, within: Document | ShadowRoot = document): Element | null {
  const match = within.querySelector(selector);
  if (match) return match;
  for (const { shadowRoot } of within.querySelectorAll('*')) {
    const inner = shadowRoot && findFirst(selector, shadowRoot);
    if (inner) return inner;
  }
  return null;
}

// Looks for the elements that a render waits for. Run in the isolated world of a page, as page-tools.ts.

export function createConditionTools() {
  /** The elements of the document and of its open shadow roots, one tree after the other. */
  function* matches(selector: string, tree: Document | ShadowRoot = document): Generator<Element> {
    yield* tree.querySelectorAll(selector);
    for (const { shadowRoot } of tree.querySelectorAll('*'))
      if (shadowRoot) yield* matches(selector, shadowRoot);
  }

  function isVisible(element: Element): boolean {
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0 && element.checkVisibility({ visibilityProperty: true });
  }

  /** Gone is also what is there but not visible, as most spinners are in the end. */
  function isInState(selector: string, state: 'visible' | 'attached' | 'gone'): boolean | 'not a selector' {
    try {
      if (state === 'attached') return !matches(selector).next().done;
      return matches(selector).some(isVisible) === (state === 'visible');
    } catch {
      return 'not a selector';
    }
  }

  return { isInState };
}

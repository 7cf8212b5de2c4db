// Shows one element of a page, for a picture of it. Run in the isolated world of a page, as page-tools.ts.

export type Shown = 'not a selector' | 'missing' | { bottom: number; hasMoved: boolean };

export function createElementTools(findFirst: (selector: string) => Element | null) {
  const parentOf = (element: Element): Element | null => {
    const { assignedSlot, parentElement } = element;
    const root = element.getRootNode();
    return assignedSlot ?? parentElement ?? (root instanceof ShadowRoot ? root.host : null);
  };

  let moved: { element: Element; left: number; top: number }[] = [];

  /**
   * Scrolls the boxes around the element so that it is seen, and returns where it ends, from the start of the page. The page itself may
   * have been scrolled too.
   */
  function show(selector: string): Shown {
    let found: Element | null;
    try {
      found = findFirst(selector);
    } catch {
      return 'not a selector';
    }
    if (!found) return 'missing';
    const before: typeof moved = [];
    for (let element = parentOf(found); element; element = parentOf(element)) {
      if (element === document.scrollingElement) continue;
      before.push({ element, left: element.scrollLeft, top: element.scrollTop });
    }
    found.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    moved = before.filter(
      ({ element, left, top }) => element.scrollLeft !== left || element.scrollTop !== top,
    );
    return { bottom: found.getBoundingClientRect().bottom + scrollY, hasMoved: moved.length > 0 };
  }

  /** From what the viewport shows now; null if the element has gone. */
  function boxOf(selector: string) {
    const box = findFirst(selector)?.getBoundingClientRect();
    return box ? { x: box.x, y: box.y, width: box.width, height: box.height } : null;
  }

  function putBack(): void {
    for (const { element, left, top } of moved) element.scrollTo({ left, top, behavior: 'instant' });
  }

  return { show, boxOf, putBack };
}

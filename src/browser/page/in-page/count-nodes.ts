// How large a page is, before all of it is asked for. Run in the isolated world of a page, as page-tools.ts.

/** Elements and texts, in open shadow roots and frames of the same origin too; stops above `limit`. */
export function countNodes(limit: number): number {
  let count = 0;
  const waiting: Node[] = [document];
  for (let root = waiting.pop(); root && count <= limit; root = waiting.pop()) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node && count <= limit; node = walker.nextNode()) {
      count += 1;
      if (!(node instanceof Element)) continue;
      if (node.shadowRoot) waiting.push(node.shadowRoot);
      if (node instanceof HTMLIFrameElement && node.contentDocument) waiting.push(node.contentDocument);
    }
  }
  return count;
}

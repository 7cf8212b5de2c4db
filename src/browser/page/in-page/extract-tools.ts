// Takes text and markup out of a page. Run in the isolated world of a page, as page-tools.ts.
import type { Readability as ReadabilityClass } from '@mozilla/readability';

export interface Extracted {
  text: string;
  /** Whether it was longer than it may be. */
  isCut: boolean;
}

export interface ExtractRequest {
  selector: string | null;
  mainContent: boolean;
  maxBytes: number;
}

/**
 * `Readability` is given for the main content, `toMarkdown` for Markdown. Elements are passed on, never markup: a page with Trusted Types
 * lets nobody parse markup in it.
 */
export function createExtractTools(
  findFirst: (selector: string) => Element | null,
  Readability: typeof ReadabilityClass | null,
  toMarkdown: ((element: Element) => string) | null,
  { selector, mainContent, maxBytes }: ExtractRequest,
) {
  const found = (): Element | null =>
    selector === null ? (document.body ?? document.documentElement) : findFirst(selector);

  /** Encoding tells how much of it fits; a character is never cut in half. */
  function bounded(text: string): Extracted {
    const whole = text.toWellFormed();
    const { read } = new TextEncoder().encodeInto(whole, new Uint8Array(maxBytes));
    return { text: whole.slice(0, read), isCut: read < whole.length };
  }

  // Nothing that is copied into this document is loaded or run.
  const inert = document.implementation.createHTMLDocument(document.title);
  const skipped = 'script,style,noscript,template,link,meta,head,title';

  /** What a reader sees of a node: without hidden parts, with open shadow roots, with full addresses. */
  function copyInto(parent: Element, node: Node, isSeen: boolean): void {
    if (node.nodeType === Node.TEXT_NODE && isSeen) parent.append(inert.importNode(node));
    if (node.nodeType !== Node.ELEMENT_NODE || (node as Element).matches(skipped)) return;
    const element = node as Element;
    const { display, visibility } = getComputedStyle(element);
    if (display === 'none') return;
    const copy = inert.importNode(element, false);
    setAddress(element, copy);
    for (const child of childrenOf(element)) copyInto(copy, child, visibility === 'visible');
    parent.append(copy);
  }

  function childrenOf(element: Element): Node[] {
    const assigned = element.localName === 'slot' ? (element as HTMLSlotElement).assignedNodes() : [];
    return assigned.length > 0 ? assigned : [...(element.shadowRoot ?? element).childNodes];
  }

  /** A picture in its own address would be longer than the text around it. */
  function setAddress(element: Element, copy: Element): void {
    const { href, currentSrc, src } = element as Partial<HTMLAnchorElement & HTMLImageElement>;
    if (element.localName === 'a' && typeof href === 'string') {
      if (href.startsWith('javascript:')) copy.removeAttribute('href');
      else if (element.hasAttribute('href')) copy.setAttribute('href', href);
    }
    if (element.localName !== 'img') return;
    const address = (currentSrc || src) ?? '';
    if (/^https?:/.test(address)) copy.setAttribute('src', address);
    else copy.removeAttribute('src');
  }

  /** The article if one is wanted and found, otherwise everything. */
  function content(of: Element): Element {
    copyInto(inert.body, of, true);
    // The body of the page, in that of the copy, would be no body to Readability.
    const only = inert.body.firstElementChild;
    if (only?.localName === 'body') only.replaceWith(...only.childNodes);
    if (!Readability || !mainContent) return inert.body;
    const everything = inert.body.cloneNode(true) as Element;
    const options = { serializer: (node: Node) => node as Element, disableJSONLD: true, keepClasses: true };
    const article = new Readability(inert, options).parse();
    if (!article?.content) return everything;
    const headings = everything.querySelectorAll('h1');
    const title = (headings.length === 1 ? headings[0]!.textContent : article.title)?.trim();
    if (title && !article.content.querySelector('h1')) setTitle(article.content, title);
    return article.content;
  }

  /** Readability takes a heading that resembles the title of the document out of the article, and makes any other h1 an h2. */
  function setTitle(article: Element, title: string): void {
    const words = (text: string | null): string => (text ?? '').replace(/\s+/g, ' ').trim();
    const given = [...article.querySelectorAll('h2')].find(
      ({ textContent }) => words(textContent) === words(title),
    );
    const heading = inert.createElement('h1');
    heading.append(...(given?.childNodes ?? [title]));
    if (given) given.replaceWith(heading);
    else article.prepend(heading);
  }

  /** As `innerText`, of elements that are not shown. Lines and paragraphs end at characters that are never in a text. */
  function textOf(root: Element): string {
    const [line, paragraph] = ['\uFDD0', '\uFDD1'];
    const paragraphs = 'p,h1,h2,h3,h4,h5,h6,ul,ol,dl,pre,blockquote,table,figure,hr';
    const lines =
      'address,article,aside,body,caption,dd,details,div,dt,fieldset,figcaption,footer,form,header,li,main,nav,section,summary,tr';
    const write = (node: Node): string => {
      if (node.nodeType === Node.TEXT_NODE) {
        const text = node.textContent ?? '';
        return node.parentElement?.closest('pre') ? text : text.replace(/\s+/g, ' ');
      }
      const element = node as Element;
      if (element.localName === 'br') return '\n';
      const inner = Array.from(element.childNodes, write).join('');
      if (element.matches('td,th')) return `${inner}\t`;
      const edge = element.matches(paragraphs) ? paragraph : element.matches(lines) ? line : '';
      return edge + inner + edge;
    };
    return write(root)
      .replace(/[ \t\uFDD0\uFDD1]+/g, (gap) => {
        if (gap.includes(paragraph)) return '\n\n';
        return gap.includes(line) ? '\n' : gap;
      })
      .trim();
  }

  const formats = {
    html(element: Element): string {
      if (mainContent) return content(element).innerHTML;
      if (selector !== null) return element.outerHTML;
      const { doctype, documentElement } = document;
      return `${doctype ? `${new XMLSerializer().serializeToString(doctype)}\n` : ''}${documentElement.outerHTML}`;
    },
    text(element: Element): string {
      if (mainContent) return textOf(content(element));
      return (element as Partial<HTMLElement>).innerText ?? element.textContent ?? '';
    },
    markdown: (element: Element): string => toMarkdown!(content(element)),
  };

  return {
    extract(format: keyof typeof formats): Extracted | 'not a selector' | 'missing' {
      let element: Element | null;
      try {
        element = found();
      } catch {
        return 'not a selector';
      }
      if (element) return bounded(formats[format](element));
      // A page may take away all of its elements.
      return selector === null ? bounded('') : 'missing';
    },
  };
}

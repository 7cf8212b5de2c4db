// Turns an element into GitHub's Markdown. Run in the isolated world of a page, as page-tools.ts. Turndown itself knows no tables; its
// plugin for them escapes twice what is in a cell.
import type TurndownClass from 'turndown';

export function createToMarkdown(Turndown: typeof TurndownClass): (element: Element) => string {
  const service = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
  const maxColumns = 100;

  /** Pages also use tables to place things: with tables, lists or headings in them, or in one column. */
  const isOfData = (table: HTMLTableElement): boolean =>
    table.getAttribute('role') !== 'presentation' &&
    !table.querySelector('table,ul,ol,h1,h2,h3,h4,pre,blockquote') &&
    [...table.rows].some(({ cells }) => cells.length > 1);

  const known = new WeakMap<HTMLTableElement, boolean>();
  const isInData = (node: Node): boolean => {
    const table = (node as Element).closest('table');
    if (!table) return false;
    const isData = known.get(table) ?? isOfData(table);
    known.set(table, isData);
    return isData;
  };
  const isPartOfTable =
    (...names: string[]) =>
    (node: Node) =>
      names.includes(node.nodeName) && isInData(node);

  service.addRule('strikethrough', {
    filter: ['del', 's'],
    replacement: (content) => `~~${content}~~`,
  });
  service.addRule('task', {
    filter: (node) => node.nodeName === 'INPUT' && node.getAttribute('type') === 'checkbox',
    replacement: (_, node) => ((node as Element).hasAttribute('checked') ? '[x] ' : '[ ] '),
  });
  service.addRule('cell', {
    filter: isPartOfTable('TH', 'TD'),
    replacement(content, node) {
      const text = content.trim().replace(/\s+/g, ' ').replaceAll('|', '\\|');
      const { colSpan } = node as HTMLTableCellElement;
      return ` ${text} |${' |'.repeat(Math.min(colSpan, maxColumns) - 1)}`;
    },
  });
  service.addRule('row', {
    filter: isPartOfTable('TR'),
    replacement(content, node) {
      const row = node as HTMLTableRowElement;
      const columns = Array.from(row.cells, ({ colSpan }) => Math.min(colSpan, maxColumns));
      const isFirst = row.closest('table')?.rows[0] === row;
      const line = `|${' --- |'.repeat(columns.reduce((sum, count) => sum + count, 0))}\n`;
      return `|${content.replaceAll('\n', ' ')}\n${isFirst ? line : ''}`;
    },
  });
  service.addRule('rows', {
    filter: isPartOfTable('THEAD', 'TBODY', 'TFOOT'),
    replacement: (content) => content,
  });
  service.addRule('caption', {
    filter: isPartOfTable('CAPTION'),
    replacement: (content) => `${content.trim()}\n\n`,
  });
  service.addRule('columns', { filter: isPartOfTable('COLGROUP', 'COL'), replacement: () => '' });
  service.addRule('table', {
    filter: isPartOfTable('TABLE'),
    replacement: (content) => `\n\n${content.trim()}\n\n`,
  });

  return (element) => service.turndown(element as HTMLElement);
}

// The part of a page that `npm run document` writes; the rest of the page is written by hand.

/** How a comment of the page's language begins and ends. */
type Comment = readonly [open: string, close: string];

export const markdown: Comment = ['<!-- ', ' -->'];
export const python: Comment = ['# ', ''];

/** The page with the text between its two marks replaced. */
export function withGenerated(page: string, [open, close]: Comment, block: string): string {
  const begin = `${open}begin: npm run document${close}\n`;
  const end = `${open}end${close}\n`;
  const [before = '', rest, ...more] = page.split(begin);
  const after = rest?.split(end);
  if (after?.length !== 2 || more.length > 0)
    throw new Error(`the page needs "${begin.trim()}" and "${end.trim()}" once each`);
  return `${before}${begin}${block}\n${end}${after[1]}`;
}

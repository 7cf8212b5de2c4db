// Opaque cursors: the last row of a page as text, for clients to send back.
import { invalid } from '#core/errors.ts';
import type { Cursor, PageOptions } from '#storage/owned/page.ts';

/** One row more than requested shows whether there is another page. */
export const pageOptions = (query: {
  cursor?: string | undefined;
  limit?: number | undefined;
}): PageOptions => ({
  after: query.cursor === undefined ? undefined : parseCursor(query.cursor),
  limit: (query.limit ?? 50) + 1,
});

/** The cursor of the next page; null after the last one. If there is a next page, the rows are one more than this page has. */
export function nextCursor(
  rows: { created_at: number; id: string }[],
  { limit, until }: PageOptions,
): string | null {
  const last = rows.length === limit ? rows[limit - 2] : undefined;
  if (last) return cursorText({ createdAt: last.created_at, id: last.id });
  return until ? cursorText(until) : null;
}

const cursorText = ({ createdAt, id }: Cursor): string => `${createdAt.toString(36)}-${id}`;

function parseCursor(text: string): Cursor {
  const [, time, id] = /^([0-9a-z]{1,10})-([0-9A-Za-z]{1,40})$/.exec(text) ?? [];
  if (time === undefined || id === undefined)
    throw invalid('cursor', 'invalid; use the next_cursor of a previous response');
  return { createdAt: Number.parseInt(time, 36), id };
}

// What the views of rows share: times, and a page of a list.
import { nextCursor } from '#storage/owned/cursor.ts';
import type { PageOptions } from '#storage/owned/page.ts';

export const isoTime = (at: number): string => new Date(at).toISOString();
export const isoTimeOrNull = (at: number | null): string | null => (at === null ? null : isoTime(at));

export function toPage<Row extends { created_at: number; id: string }, View>(
  rows: Row[],
  page: PageOptions,
  view: (row: Row) => View,
): { items: View[]; next_cursor: string | null } {
  return { items: rows.slice(0, page.limit - 1).map(view), next_cursor: nextCursor(rows, page) };
}

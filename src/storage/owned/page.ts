// Keyset pagination: a page starts after the last row of the previous one, so that page 1,000 costs no more than page 1.
import { sql, type RawBuilder } from 'kysely';

/** The last row shown; the newest come first. */
export interface Cursor {
  createdAt: number;
  id: string;
}

export interface PageOptions {
  after: Cursor | undefined;
  limit: number;
}

export const olderThan = ({ createdAt, id }: Cursor, idColumn = 'id'): RawBuilder<boolean> =>
  sql<boolean>`(created_at, ${sql.ref(idColumn)}) < (${createdAt}, ${id})`;

/** Whether a column contains the text, ignoring case; % and _ are literal. */
export function contains(column: string, search: string): RawBuilder<boolean> {
  const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`lower(${sql.ref(column)}) like lower(${pattern}) escape '\\'`;
}

// Paging by key: a page begins behind the last row of the one before, so that page 1,000 costs what page 1 does.
import { sql, type RawBuilder } from 'kysely';

/** The last row that was shown; newest come first. */
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

/** Whether a column holds the text, in any case; % and _ are only characters. */
export function contains(column: string, search: string): RawBuilder<boolean> {
  const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`lower(${sql.ref(column)}) like lower(${pattern}) escape '\\'`;
}

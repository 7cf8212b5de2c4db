// Keyset pagination: a page starts after the last row of the previous one, so that page 1,000 costs no more than page 1.
import { sql, type RawBuilder, type SelectQueryBuilder } from 'kysely';

/** The last row shown; the newest come first. */
export interface Cursor {
  createdAt: number;
  id: string;
}

export interface PageOptions {
  after: Cursor | undefined;
  limit: number;
  /** The last row that is looked at, if there are more; a page that is not full goes on after it. */
  until?: Cursor | undefined;
}

/** Whether a row is not behind the last one that is looked at. */
export const isWithin = ({ createdAt, id }: Cursor): RawBuilder<boolean> =>
  sql<boolean>`(created_at, id) >= (${createdAt}, ${id})`;

/** For `$call`: a page of the rows, the newest first. */
export const newestFirst =
  ({ after, limit, until }: PageOptions, idColumn = 'id') =>
  <DB, Table extends keyof DB, Row>(query: SelectQueryBuilder<DB, Table, Row>) => {
    const id = sql.ref(idColumn);
    let page = query.orderBy(sql.ref('created_at'), 'desc').orderBy(id, 'desc').limit(limit);
    if (after) page = page.where(sql<boolean>`(created_at, ${id}) < (${after.createdAt}, ${after.id})`);
    return until ? page.where(isWithin(until)) : page;
  };

/** Whether the time in a column is still to come; null is never. */
export const isAhead = (column: 'expires_at' | 'revoked_at', now: number): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(column)} is null or ${sql.ref(column)} > ${now})`;

/** The rows of one account from the first to the last day. */
export const inDays = (accountId: string, fromDay: number, toDay: number): RawBuilder<boolean> =>
  sql<boolean>`account_id = ${accountId} and day between ${fromDay} and ${toDay}`;

/** Whether a column contains the text, ignoring case; % and _ are literal. */
export function contains(column: string, search: string): RawBuilder<boolean> {
  const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`lower(${sql.ref(column)}) like lower(${pattern}) escape '\\'`;
}

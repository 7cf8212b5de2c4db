// What kind of request a row of the log is about, or a sum of a day. Its route has said so; in rows of before routes did, the path tells it
// as far as it goes.
import type { RequestDayRow, RequestKind, RequestLogRow } from '#storage/schema.ts';

export function kindOfRequest(row: Pick<RequestLogRow, 'kind' | 'path' | 'status' | 'made'>): RequestKind {
  const { kind, path, status, made } = row;
  if (kind !== null) return kind;
  if (path === '/api/v2/renders' && status === 202) return 'queued';
  // What is stored or rendered was noted, so this was a list, or an earlier result.
  if (path.startsWith('/api/v2/') && status === 200 && made === null) return 'read';
  return kindByPath(path);
}

export const kindOfDay = ({ path }: Pick<RequestDayRow, 'path'>): RequestKind =>
  path.startsWith('/') ? kindByPath(path) : (path as RequestKind);

const kindsByPath: Record<string, RequestKind> = {
  '/api/v1/upload': 'upload',
  '/api/v1/upload/batch': 'upload',
  '/api/v1/screenshot': 'render',
  '/api/v1/pdf': 'render',
  // Most requests there; the others were lists, and renders that were queued.
  '/api/v2/renders': 'render',
  '/api/v2/uploads': 'upload',
};

const kindByPath = (path: string): RequestKind => kindsByPath[path] ?? 'read';

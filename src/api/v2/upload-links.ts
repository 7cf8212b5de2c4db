// /api/v2/upload_links and below: make, list, read and end links through which others upload. Spec 10.13.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '#storage/database.ts';
import type { UploadLinkRow } from '#storage/schema.ts';
import type { UploadLinks } from '#uploads/upload-links.ts';
import { isoTime } from '#api/common-views.ts';
import { NewUploadLink, PageQuery, type UploadLink } from '#api/v2/album-schemas.ts';
import { createHandler, resourceHandlers } from '#api/v2/resource.ts';
import type { Idempotency } from '#http/idempotency.ts';
import { dropPath, type Addresses } from '#http/addresses.ts';

export interface UploadLinksParts extends Addresses {
  database: Database;
  uploadLinks: UploadLinks;
  idempotency: Idempotency;
}

export function uploadLinkHandlers(parts: UploadLinksParts) {
  const { uploadLinks } = parts;
  const create = createHandler(parts, NewUploadLink, async (tables, { accountId }, given) => {
    const { title, album, max_files, max_bytes, expires_in } = given as Required<typeof given>;
    const { row, token } = await uploadLinks.create(tables, accountId, {
      title,
      albumId: album,
      maxFiles: max_files,
      maxBytes: max_bytes,
      expiresInSeconds: expires_in,
    });
    return uploadLinkOf(parts, row, token);
  });
  return {
    ...resourceHandlers({
      query: PageQuery,
      list: ({ accountId }, query: Parameters<UploadLinks['list']>[1]) => uploadLinks.list(accountId, query),
      find: ({ accountId }, id) => uploadLinks.find(accountId, id),
      remove: ({ accountId }, id) => uploadLinks.delete(accountId, id),
      view: (row) => uploadLinkOf(parts, row),
    }),
    create: (request: FastifyRequest, reply: FastifyReply) =>
      create(request, reply.header('cache-control', 'no-store')),
  };
}

/** The token is known only when the link is made. */
const uploadLinkOf = ({ baseUrl }: Addresses, row: UploadLinkRow, token?: string): UploadLink => ({
  id: row.id,
  url: token === undefined ? null : baseUrl + dropPath(token),
  token: token ?? null,
  title: row.title,
  album: row.album_id,
  max_files: row.max_files,
  max_bytes: row.max_bytes,
  used_files: row.used_files,
  used_bytes: row.used_bytes,
  created_at: isoTime(row.created_at),
  expires_at: isoTime(row.expires_at),
});

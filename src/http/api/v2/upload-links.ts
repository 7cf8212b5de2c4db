// /api/v2/upload_links and below: make, list, read and end links through which others upload. Spec 10.13.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '#core/errors.ts';
import type { Database } from '#storage/database.ts';
import type { UploadLinkRow } from '#storage/schema.ts';
import type { UploadLinks } from '#uploads/upload-links.ts';
import { NewUploadLink, PageQuery, type UploadLink } from '#http/api/v2/album-schemas.ts';
import { sendJson } from '#http/api/v2/send-json.ts';
import { sendAnswer } from '#http/answer.ts';
import { readJson } from '#http/body/json-body.ts';
import { validate } from '#http/body/validate.ts';
import { callerOf } from '#http/guards.ts';
import type { Idempotency } from '#http/idempotency.ts';
import { dropPath, type Addresses } from '#http/links.ts';
import { readQuery } from '#http/query.ts';

export interface UploadLinksParts extends Addresses {
  database: Database;
  uploadLinks: UploadLinks;
  idempotency: Idempotency;
}

export function uploadLinkHandlers(parts: UploadLinksParts) {
  const { database, uploadLinks, idempotency } = parts;
  const idOf = (request: FastifyRequest): string => (request.params as { id: string }).id;

  async function create(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const given = validate(NewUploadLink, await readJson(request.raw));
    const { accountId } = callerOf(request);
    const { title, album, max_files, max_bytes, expires_in } = given as Required<typeof given>;
    const wanted = {
      title,
      albumId: album,
      maxFiles: max_files,
      maxBytes: max_bytes,
      expiresInSeconds: expires_in,
    };
    const answer = await idempotency.once(request, reply, given, (remember) =>
      database.transactionOf(accountId, async (tables) => {
        const { row, token } = await uploadLinks.create(tables, accountId, wanted);
        const made = { status: 201, headers: {}, body: uploadLinkOf(parts, row, token) };
        await remember?.(tables, made);
        return made;
      }),
    );
    return sendAnswer(request, reply.header('cache-control', 'no-store'), answer);
  }

  async function list(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { limit = 0, cursor } = readQuery(request, PageQuery);
    const { items, nextCursor } = await uploadLinks.list(callerOf(request).accountId, { limit, cursor });
    return sendJson(reply, { items: items.map((row) => uploadLinkOf(parts, row)), next_cursor: nextCursor });
  }

  return {
    create,
    list,
    async read(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const row = await uploadLinks.find(callerOf(request).accountId, idOf(request));
      if (!row) throw notFound();
      return sendJson(reply, uploadLinkOf(parts, row));
    },
    async remove(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const id = idOf(request);
      if (!(await uploadLinks.delete(callerOf(request).accountId, id))) throw notFound();
      return sendJson(reply, { id, deleted: true });
    },
  };
}

/** The token is known only when the link is made. */
export const uploadLinkOf = ({ baseUrl }: Addresses, row: UploadLinkRow, token?: string): UploadLink => ({
  id: row.id,
  url: token === undefined ? null : baseUrl + dropPath(token),
  token: token ?? null,
  title: row.title,
  album: row.album_id,
  max_files: row.max_files,
  max_bytes: row.max_bytes,
  used_files: row.used_files,
  used_bytes: row.used_bytes,
  created_at: new Date(row.created_at).toISOString(),
  expires_at: new Date(row.expires_at).toISOString(),
});

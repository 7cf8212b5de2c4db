// /api/v2/albums and below: make, list, read, change and delete albums. Spec 10.12.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '#core/errors.ts';
import type { Database } from '#storage/database.ts';
import type { Album as StoredAlbum } from '#storage/owned/albums.ts';
import type { Albums } from '#uploads/albums.ts';
import { AlbumChanges, NewAlbum, PageQuery, type Album } from '#http/api/v2/album-schemas.ts';
import { sendJson } from '#http/api/v2/send-json.ts';
import { sendAnswer } from '#http/answer.ts';
import { readJson } from '#http/body/json-body.ts';
import { validate, validateGiven } from '#http/body/validate.ts';
import { callerOf } from '#http/guards.ts';
import type { Idempotency } from '#http/idempotency.ts';
import { albumPath, filePath, type Addresses } from '#http/links.ts';
import { readQuery } from '#http/query.ts';

export interface AlbumsParts extends Addresses {
  database: Database;
  albums: Albums;
  idempotency: Idempotency;
}

export function albumHandlers(parts: AlbumsParts) {
  const { database, albums, idempotency } = parts;
  const idOf = (request: FastifyRequest): string => (request.params as { id: string }).id;

  async function create(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const given = validate(NewAlbum, await readJson(request.raw));
    const { accountId, plan } = callerOf(request);
    const { expires_in, ...rest } = given;
    const answer = await idempotency.once(request, reply, given, (remember) =>
      database.transactionOf(accountId, async (tables) => {
        const album = await albums.create(tables, accountId, plan, { ...rest, expiresInSeconds: expires_in });
        const made = { status: 201, headers: {}, body: albumOf(parts, album) };
        await remember?.(tables, made);
        return made;
      }),
    );
    return sendAnswer(request, reply, answer);
  }

  async function list(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { limit = 0, cursor } = readQuery(request, PageQuery);
    const { items, nextCursor } = await albums.list(callerOf(request).accountId, { limit, cursor });
    return sendJson(reply, { items: items.map((row) => albumOf(parts, row)), next_cursor: nextCursor });
  }

  async function change(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { expires_in, ...rest } = validateGiven(AlbumChanges, await readJson(request.raw));
    const { accountId, plan } = callerOf(request);
    const edits = { ...rest, expiresInSeconds: expires_in };
    return show(reply, await albums.edit(accountId, plan, idOf(request), edits));
  }

  async function remove(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const id = idOf(request);
    if (!(await albums.delete(callerOf(request).accountId, id))) throw notFound();
    return sendJson(reply, { id, deleted: true });
  }

  const show = (reply: FastifyReply, album: StoredAlbum | undefined): FastifyReply => {
    if (!album) throw notFound();
    return sendJson(reply, albumOf(parts, album));
  };

  return {
    create,
    list,
    change,
    remove,
    read: async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
      show(reply, await albums.find(callerOf(request).accountId, idOf(request))),
  };
}

export const albumOf = ({ baseUrl, contentBaseUrl }: Addresses, album: StoredAlbum): Album => ({
  id: album.id,
  slug: album.slug,
  url: baseUrl + albumPath(album.slug),
  title: album.title,
  description: album.description,
  count: album.uploads,
  cover_url: album.cover_slug === null ? null : contentBaseUrl + filePath(album.cover_slug),
  created_at: new Date(album.created_at).toISOString(),
  expires_at: album.expires_at === null ? null : new Date(album.expires_at).toISOString(),
});

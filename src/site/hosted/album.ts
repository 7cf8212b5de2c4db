// GET /a/<slug> and /a/<slug>.zip: an album as a page with its pictures, and as an archive of its files. v2 3.
import { Readable } from 'node:stream';
import type { Clock } from '#core/clock.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { nextCursor, pageOptions } from '#storage/owned/cursor.ts';
import type { AlbumRow } from '#storage/schema.ts';
import { sanitizeFilename } from '#uploads/filename.ts';
import type { UploadsRoom } from '#uploads/room.ts';
import { describeAlbum } from '#site/hosted/album-page.ts';
import { splitExtension } from '#site/hosted/file.ts';
import { contentDisposition } from '#site/hosted/send-blob.ts';
import { addressSubject } from '#http/guards.ts';
import { answerNotFound } from '#site/pages/not-found.ts';
import { sendPage } from '#site/pages/page.ts';
import { createNamer, zipOf } from '#http/zip.ts';
import type { Addresses } from '#http/addresses.ts';

const picturesPerPage = 120;

interface AlbumParts {
  clock: Clock;
  settings: Addresses & { pictureOrigins: string[] };
  uploads: Pick<UploadsRoom, 'albums' | 'uploadAccess' | 'uploadBlobs'>;
}

export function album({ clock, settings, uploads }: AlbumParts) {
  const { albums, uploadAccess, uploadBlobs } = uploads;

  return async (request: FastifyRequest, reply: FastifyReply) => {
    const [slug, extension] = splitExtension((request.params as { slug: string }).slug);
    const found = extension === undefined || extension === 'zip' ? await albums.bySlug(slug) : undefined;
    if (!found) return answerNotFound(request, reply);
    return extension === 'zip' ? sendArchive(request, reply, found) : sendAlbum(request, reply, found);
  };

  async function sendAlbum(request: FastifyRequest, reply: FastifyReply, row: AlbumRow) {
    const { after } = request.query as { after?: string | string[] };
    const cursor = typeof after === 'string' ? after : undefined;
    const page = pageOptions({ cursor, limit: picturesPerPage });
    const rows = await albums.uploadsIn(row.id, page);
    const shown = rows
      .slice(0, picturesPerPage)
      .map((upload) => ({ upload, access: uploadAccess.decide(upload) }))
      .filter(({ access }) => access !== 'gone');
    const content = describeAlbum(row, {
      uploads: shown,
      totals: await albums.totals(row.id),
      isFirstPage: cursor === undefined,
      nextCursor: nextCursor(rows, page),
      settings,
      now: clock.now(),
    });
    // As for share pages: gone as soon as the album is.
    reply.header('cache-control', 'no-cache');
    return sendPage(reply, { ...content, pictureOrigins: settings.pictureOrigins });
  }

  function sendArchive(request: FastifyRequest, reply: FastifyReply, row: AlbumRow): FastifyReply {
    reply.type('application/zip').headers({
      'cache-control': 'no-store',
      'content-disposition': contentDisposition('attachment', archiveName(row)),
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
      'referrer-policy': 'no-referrer',
    });
    if (request.method === 'HEAD') return reply.send();
    return reply.send(Readable.from(zipOf(filesOf(row, addressSubject(request.ip)))));
  }

  /** What a stranger may see at the moment when its turn comes. */
  async function* filesOf({ id }: AlbumRow, reader: string) {
    const nameOf = createNamer();
    for await (const upload of albums.everyUploadIn(id)) {
      if (uploadAccess.decide(upload) !== 'open') continue;
      yield {
        name: nameOf(upload.filename),
        sizeBytes: upload.size_bytes,
        modifiedAt: upload.created_at,
        open: () => uploadBlobs.open(upload.id, undefined, reader),
      };
    }
  }
}

/** As safe as the name of a picture. */
const archiveName = ({ title, slug }: AlbumRow): string =>
  `${sanitizeFilename(`${title ?? slug}.png`, 'image/png').slice(0, -'.png'.length)}.zip`;

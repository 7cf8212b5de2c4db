// GET /f/<slug>/preview.png: an SVG as a picture, for the preview cards of chats, which do not show SVGs.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '#core/clock.ts';
import { sanitizeFilename } from '#uploads/filename.ts';
import { originalOf } from '#uploads/pictures/variant.ts';
import type { UploadsRoom } from '#uploads/room.ts';
import { sendBlob } from '#site/hosted/send-blob.ts';
import { visitor } from '#site/hosted/variant.ts';
import { answerNotFound } from '#site/pages/not-found.ts';
import type { Guards } from '#http/guards.ts';

interface PreviewParts {
  clock: Clock;
  uploads: Pick<UploadsRoom, 'hostedUploads' | 'uploadBlobs' | 'uploadVariants'>;
  guards: Guards;
}

export function svgPreview({ clock, uploads, guards }: PreviewParts) {
  const { hostedUploads, uploadBlobs: blobs, uploadVariants } = uploads;
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { slug } = request.params as { slug: string };
    // Without a ticket: nothing of a guarded upload is for chats.
    const row = await hostedUploads.bySlug(slug);
    const drawn = row && (await uploadVariants.drawn(originalOf(row), visitor(request, reply, guards)));
    if (!drawn) return answerNotFound(request, reply);
    const blob = {
      row: {
        id: drawn.key,
        content_type: drawn.contentType,
        size_bytes: drawn.sizeBytes,
        sha256: drawn.sha256,
        created_at: drawn.createdAt,
        expires_at: row.expires_at,
      },
      filename: sanitizeFilename(row.filename, 'image/png'),
      blobs,
      readSmall: blobs.readSmall,
    };
    return sendBlob(request, reply, blob, clock.now());
  };
}

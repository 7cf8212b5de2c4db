// GET /f/<slug>[.<ext>]: the raw bytes of an upload, or of a variant. Spec 2.1; v2 3.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '#core/clock.ts';
import { readBlob } from '#storage/blobs.ts';
import type { UploadRow } from '#storage/schema.ts';
import { sanitizeFilename } from '#uploads/filename.ts';
import { imageExtensions, type ImageType } from '#uploads/image-types.ts';
import { originalOf, variantTypes } from '#uploads/pictures/variant.ts';
import { isGuarded } from '#uploads/upload-access.ts';
import type { UploadsRoom } from '#uploads/room.ts';
import type { Encoding } from '#http/encodings.ts';
import { createPackedSvgs } from '#site/hosted/packed-svgs.ts';
import { notStored, sendBlob } from '#site/hosted/send-blob.ts';
import { ticketIn } from '#site/hosted/tickets.ts';
import { variantFor } from '#site/hosted/variant.ts';
import { sharePath, type Addresses } from '#http/addresses.ts';
import { answerNotFound } from '#site/pages/not-found.ts';
import { wantsHtml } from '#site/pages/page.ts';
import type { Guards } from '#http/guards.ts';

interface FileParts {
  clock: Clock;
  settings: Addresses;
  uploads: Pick<UploadsRoom, 'hostedUploads' | 'uploadBlobs' | 'uploadVariants'>;
  guards: Guards;
}

export function hostedFile({ clock, settings, uploads, guards }: FileParts) {
  const { hostedUploads, uploadBlobs, uploadVariants } = uploads;
  const { readSmall } = uploadBlobs;
  const packedSvgs = createPackedSvgs();
  const { baseUrl, contentBaseUrl } = settings;
  const pageOf = (slug: string): string => (contentBaseUrl === baseUrl ? '' : baseUrl) + sharePath(slug);

  const read = async ({ id, size_bytes }: UploadRow): Promise<Buffer | undefined> =>
    (await readSmall?.(id, size_bytes)) ?? readBlob(uploadBlobs, id);

  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { slug: requested } = request.params as { slug: string };
    const [slug, extension] = splitExtension(requested);
    const row = await hostedUploads.bySlug(slug, ticketIn(request));
    if (!row || !hasExtension(row.content_type, extension)) {
      // A person is asked on the share page; to a program there is nothing here.
      const isAsked = wantsHtml(request) && (await hostedUploads.lockedBySlug(slug)) !== undefined;
      if (!isAsked) return answerNotFound(request, reply);
      return reply.header('cache-control', notStored).redirect(pageOf(slug), 302);
    }
    const isPrivate = isGuarded(row);
    const variant = await variantFor(request, reply, { variants: uploadVariants, guards }, originalOf(row));
    const { expires_at } = row;
    if (variant) {
      const filename = sanitizeFilename(row.filename, variantTypes[variant.format]);
      const blob = { row: { ...variant, expires_at }, filename, blobs: uploadBlobs, readSmall, isPrivate };
      return sendBlob(request, reply, blob, clock.now());
    }
    const packed = (encoding: Encoding) =>
      packedSvgs.get({ hash: row.sha256, sizeBytes: row.size_bytes }, encoding, () => read(row));
    return sendBlob(
      request,
      reply,
      {
        row,
        filename: row.filename,
        blobs: uploadBlobs,
        readSmall,
        isPrivate,
        packed: row.content_type === 'image/svg+xml' ? packed : undefined,
      },
      clock.now(),
    );
  };
}

export function splitExtension(name: string): [string, string | undefined] {
  const dot = name.indexOf('.');
  return dot === -1 ? [name, undefined] : [name.slice(0, dot), name.slice(dot + 1)];
}

/** The alias is for tools that need a name with an extension; a wrong extension does not resolve. */
function hasExtension(contentType: string, extension: string | undefined): boolean {
  if (extension === undefined) return true;
  return (imageExtensions[contentType as ImageType] as readonly string[]).includes(extension.toLowerCase());
}

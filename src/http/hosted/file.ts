// GET /f/<slug>[.<ext>]: the raw bytes of an upload. Spec 2.1.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readBlob } from '#storage/blobs.ts';
import type { UploadRow } from '#storage/schema.ts';
import { imageExtensions, type ImageType } from '#uploads/image-types.ts';
import { addressSubject } from '#http/guards.ts';
import { createPackedSvgs } from '#http/hosted/packed-svgs.ts';
import { sendBlob } from '#http/hosted/send-blob.ts';
import { answerNotFound } from '#http/not-found.ts';
import type { RouteParts } from '#http/parts.ts';

export function hostedFile({ clock, uploads: { hostedUploads } }: RouteParts) {
  const packedSvgs = createPackedSvgs();

  const read = async ({ id, size_bytes }: UploadRow): Promise<Buffer | undefined> =>
    (await hostedUploads.readSmallBlob?.(id, size_bytes)) ?? readBlob({ open: hostedUploads.openBlob }, id);

  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { slug: requested } = request.params as { slug: string };
    const [slug, extension] = splitExtension(requested);
    const upload = await hostedUploads.bySlug(slug);
    if (!upload || !hasExtension(upload.content_type, extension)) return answerNotFound(request, reply);
    return sendBlob(
      request,
      reply,
      {
        contentType: upload.content_type,
        sizeBytes: upload.size_bytes,
        etag: `"${upload.sha256.slice(0, 32)}"`,
        createdAt: upload.created_at,
        expiresAt: upload.expires_at,
        filename: upload.filename,
        open: (range) => hostedUploads.openBlob(upload.id, range, addressSubject(request.ip)),
        readSmall: hostedUploads.readSmallBlob?.bind(null, upload.id, upload.size_bytes),
        packed:
          upload.content_type === 'image/svg+xml'
            ? (encoding) =>
                packedSvgs.get({ hash: upload.sha256, sizeBytes: upload.size_bytes }, encoding, () =>
                  read(upload),
                )
            : undefined,
        signedUrl: hostedUploads.signedUrl?.bind(null, upload.id),
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

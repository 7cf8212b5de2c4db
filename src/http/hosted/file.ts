// GET /f/<slug>[.<ext>]: the raw bytes of an upload. Spec 2.1.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readBlob } from '#storage/blobs.ts';
import type { UploadRow } from '#storage/schema.ts';
import { imageExtensions, type ImageType } from '#uploads/image-types.ts';
import type { Encoding } from '#http/encodings.ts';
import { createPackedSvgs } from '#http/hosted/packed-svgs.ts';
import { sendBlob } from '#http/hosted/send-blob.ts';
import { answerNotFound } from '#http/not-found.ts';
import type { RouteParts } from '#http/parts.ts';

export function hostedFile({ clock, uploads: { hostedUploads, uploadBlobs } }: RouteParts) {
  const { readSmall } = uploadBlobs;
  const packedSvgs = createPackedSvgs();

  const read = async ({ id, size_bytes }: UploadRow): Promise<Buffer | undefined> =>
    (await readSmall?.(id, size_bytes)) ?? readBlob(uploadBlobs, id);

  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { slug: requested } = request.params as { slug: string };
    const [slug, extension] = splitExtension(requested);
    const row = await hostedUploads.bySlug(slug);
    if (!row || !hasExtension(row.content_type, extension)) return answerNotFound(request, reply);
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

// GET /s/<id>[.<ext>] and /p/<id>[.pdf]: the bytes of an output of a hosted render. Spec 2.3, 2.4; v2 2.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '#core/clock.ts';
import type { OutputFormat } from '#browser/job.ts';
import { outputFiles } from '#renders/output-files.ts';
import { hostOf, originalOf } from '#renders/stored-render.ts';
import type { RendersRoom } from '#renders/room.ts';
import { splitExtension } from '#site/hosted/file.ts';
import { sendBlob } from '#site/hosted/send-blob.ts';
import { variantFor } from '#site/hosted/variant.ts';
import { renderPath } from '#http/addresses.ts';
import { answerNotFound } from '#site/pages/not-found.ts';
import type { Guards } from '#http/guards.ts';

interface RenderFileParts {
  clock: Clock;
  renders: Pick<RendersRoom, 'hostedRenders' | 'renderBlobs' | 'renderVariants'>;
  guards: Guards;
}

/** A PDF is not below /s/, and nothing else is below /p/. */
export function renderFile(below: '/s/' | '/p/', { clock, renders, guards }: RenderFileParts) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const [id, extension] = splitExtension((request.params as { id: string }).id);
    const found = await renders.hostedRenders.byId(id);
    if (!found || renderPath(found.output.format, '') !== below) return answerNotFound(request, reply);
    const { render, output } = found;
    const { extensions, isAttachment } = outputFiles[output.format];
    if (extension !== undefined && !extensions.includes(extension.toLowerCase()))
      return answerNotFound(request, reply);
    const blobs = renders.renderBlobs;
    const made = { variants: renders.renderVariants, guards };
    const variant = await variantFor(request, reply, made, originalOf(found));
    const { contentType, sizeBytes, sha256 } = output;
    const { created_at, expires_at } = render;
    const row = { id, content_type: contentType, size_bytes: sizeBytes, sha256, created_at, expires_at };
    const blob = variant
      ? {
          row: { ...variant, expires_at },
          filename: outputFilename(render, variant.format),
          blobs,
          readSmall: blobs.readSmall,
        }
      : { row, filename: outputFilename(render, output.format), blobs, isAttachment };
    return sendBlob(request, reply, blob, clock.now());
  };
}

/** Named after the host of the page. */
export const outputFilename = ({ target }: { target: string }, format: OutputFormat): string =>
  `${hostOf(target)}.${outputFiles[format].extensions[0]}`;

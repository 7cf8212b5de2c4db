// GET /s/<capture_id>[.<ext>] and /p/<render_id>[.pdf]: the bytes of a hosted render. Spec 2.3, 2.4.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RenderKind } from '#storage/schema.ts';
import { splitExtension } from '#http/hosted/file.ts';
import { sendBlob } from '#http/hosted/send-blob.ts';
import { answerNotFound } from '#http/not-found.ts';
import type { RouteParts } from '#http/parts.ts';

const extensions: Record<string, string[]> = {
  'image/png': ['png'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/webp': ['webp'],
  'application/pdf': ['pdf'],
};

export function renderFile(kind: RenderKind, { clock, renders }: RouteParts) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const [id, extension] = splitExtension((request.params as { id: string }).id);
    const row = await renders.hostedRenders.byId(id, kind);
    const known = extensions[row?.content_type ?? ''] ?? [];
    if (!row || (extension !== undefined && !known.includes(extension.toLowerCase())))
      return answerNotFound(request, reply);
    const filename = `${new URL(row.target).hostname}.${known[0]}`;
    return sendBlob(request, reply, { row, filename, blobs: renders.renderBlobs }, clock.now());
  };
}

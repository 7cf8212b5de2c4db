// GET /s/<capture_id>[.<ext>] and /p/<render_id>[.pdf]: the bytes of a hosted render. Spec 2.3, 2.4.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RenderKind } from '#storage/schema.ts';
import { addressSubject } from '#http/guards.ts';
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

export function renderFile(kind: RenderKind, { clock, renders: { hostedRenders } }: RouteParts) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const [id, extension] = splitExtension((request.params as { id: string }).id);
    const render = await hostedRenders.byId(id, kind);
    const known = extensions[render?.content_type ?? ''] ?? [];
    if (!render || (extension !== undefined && !known.includes(extension.toLowerCase())))
      return answerNotFound(request, reply);
    return sendBlob(
      request,
      reply,
      {
        contentType: render.content_type,
        sizeBytes: render.size_bytes ?? 0,
        etag: `"${(render.sha256 ?? render.id).slice(0, 32)}"`,
        createdAt: render.created_at,
        expiresAt: render.expires_at,
        filename: `${new URL(render.target).hostname}.${known[0]}`,
        open: (range) => hostedRenders.openBlob(render.id, range, addressSubject(request.ip)),
        signedUrl: hostedRenders.signedUrl?.bind(null, render.id),
      },
      clock.now(),
    );
  };
}

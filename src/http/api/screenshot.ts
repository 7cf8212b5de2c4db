// POST /api/v1/screenshot: captures a public web page as an image. Spec 2.3, 4.3.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerRender, type RenderParts } from '#http/api/render-answer.ts';
import { ScreenshotRequest } from '#http/api/schemas.ts';
import { readJsonBody } from '#http/body/json-body.ts';

export function screenshot(parts: RenderParts) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { url, response, format, width, height, full_page } = await readJsonBody(
      request.raw,
      ScreenshotRequest,
    );
    return answerRender(parts, request, reply, {
      kind: 'screenshot',
      url,
      isHosted: response === 'json',
      options: { format, width, height, full_page },
      job: { format, width, height, fullPage: full_page },
    });
  };
}

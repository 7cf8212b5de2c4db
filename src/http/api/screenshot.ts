// POST /api/v1/screenshot: captures a public web page as an image. Spec 2.3, 4.3.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { camelCased } from '#http/api/camel-case.ts';
import { answerRender, type RenderParts } from '#http/api/render-answer.ts';
import { ScreenshotRequest } from '#http/api/schemas.ts';
import { readJsonBody } from '#http/body/json-body.ts';

export function screenshot(parts: RenderParts) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { url, response, ...options } = await readJsonBody(request.raw, ScreenshotRequest);
    return answerRender(parts, request, reply, {
      kind: 'screenshot',
      url,
      isHosted: response === 'json',
      options,
      job: camelCased(options),
    });
  };
}

// POST /api/v1/screenshot: captures a public web page as an image. Spec 2.3, 4.3.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '#core/limits.ts';
import { plainPicture } from '#browser/job.ts';
import { plainJob } from '#api/v1/plain-job.ts';
import { answerRender } from '#api/v1/render-answer.ts';
import type { RenderParts } from '#api/run-render.ts';
import { ScreenshotRequest } from '#api/v1/schemas.ts';
import { readJsonBody } from '#http/body/json-body.ts';

export function screenshot(parts: RenderParts) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { url, response, ...options } = await readJsonBody(request.raw, ScreenshotRequest);
    const { format, full_page: fullPage, ...viewport } = options;
    const waits = { until: 'settled', settles: true, delayMs: 0 } as const;
    return answerRender(parts, request, reply, {
      isHosted: response === 'json',
      options,
      job: {
        ...plainJob(url, viewport, waits),
        outputs: [{ ...plainPicture, format, fullPage }],
        timeoutMs: limits.screenshotTotalMs,
        // Version 1 promises every height that the format can hold.
        maxPixels: Number.MAX_SAFE_INTEGER,
      },
    });
  };
}

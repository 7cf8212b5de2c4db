// POST /api/v1/pdf: prints a public web page to PDF. Spec 2.4, 4.4.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { lengthInches, requireRoomOnPaper, type Sides } from '#renders/paper.ts';
import { camelCased } from '#http/api/camel-case.ts';
import { answerRender, type RenderParts } from '#http/api/render-answer.ts';
import { PdfRequest } from '#http/api/schemas.ts';
import { readJsonBody } from '#http/body/json-body.ts';

export function pdf(parts: RenderParts) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { url, response, ...options } = await readJsonBody(request.raw, PdfRequest);
    const { margin, ...job } = camelCased(options);
    const inches = Object.entries(margin).map(([side, length]) => [side, lengthInches(length)]);
    const marginInches = Object.fromEntries(inches) as Sides<number>;
    // Also with `prefer_css_page_size`: Chromium compares the margins with the requested paper, whatever size the page has.
    requireRoomOnPaper(marginInches, job.paperFormat, job.landscape);
    return answerRender(parts, request, reply, {
      kind: 'pdf',
      url,
      isHosted: response === 'json',
      options,
      job: { ...job, marginInches },
    });
  };
}

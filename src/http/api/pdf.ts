// POST /api/v1/pdf: prints a public web page to PDF. Spec 2.4, 4.4.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { lengthInches, requireRoomOnPaper } from '#renders/paper.ts';
import { answerRender, type RenderParts } from '#http/api/render-answer.ts';
import { PdfRequest } from '#http/api/schemas.ts';
import { readJsonBody } from '#http/body/json-body.ts';

export function pdf(parts: RenderParts) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { url, response, ...options } = await readJsonBody(request.raw, PdfRequest);
    const { top, right, bottom, left } = options.margin;
    const marginInches = {
      top: lengthInches(top),
      right: lengthInches(right),
      bottom: lengthInches(bottom),
      left: lengthInches(left),
    };
    // Also with `prefer_css_page_size`: Chromium compares the margins with the requested paper, whatever size the page has.
    requireRoomOnPaper(marginInches, options.paper_format, options.landscape);
    return answerRender(parts, request, reply, {
      kind: 'pdf',
      url,
      isHosted: response === 'json',
      options,
      job: {
        paperFormat: options.paper_format,
        landscape: options.landscape,
        printBackground: options.print_background,
        preferCssPageSize: options.prefer_css_page_size,
        scale: options.scale,
        marginInches,
        viewport: options.viewport,
        waitUntil: options.wait_until,
        delayMs: options.delay_ms,
      },
    });
  };
}

// POST /api/v1/pdf: prints a public web page to PDF. Spec 2.4, 4.4.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '#core/limits.ts';
import { plainPdf } from '#browser/job.ts';
import { inchesOf, paperInches, requireRoomOnPaper } from '#renders/paper.ts';
import { plainJob } from '#api/v1/plain-job.ts';
import { answerRender } from '#api/v1/render-answer.ts';
import type { RenderParts } from '#api/run-render.ts';
import { PdfRequest } from '#api/v1/schemas.ts';
import { readJsonBody } from '#http/body/json-body.ts';

export function pdf(parts: RenderParts) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { url, response, ...options } = await readJsonBody(request.raw, PdfRequest);
    const marginInches = inchesOf(options.margin);
    const { landscape, scale, paper_format: name } = options;
    const paper = paperInches[name];
    // Also with `prefer_css_page_size`: Chromium compares the margins with the requested paper, whatever size the page has.
    requireRoomOnPaper(marginInches, paper, landscape, name);
    const waits = { until: options.wait_until, settles: false, delayMs: options.delay_ms };
    return answerRender(parts, request, reply, {
      isHosted: response === 'json',
      options,
      job: {
        ...plainJob(url, options.viewport, waits),
        outputs: [
          {
            ...plainPdf,
            paper,
            landscape,
            printBackground: options.print_background,
            preferCssPageSize: options.prefer_css_page_size,
            scale,
            marginInches,
          },
        ],
        timeoutMs: limits.pdfTotalMs,
      },
    });
  };
}

// The response to a request for something that does not exist. Spec 7 (not_found).
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '#core/errors.ts';
import { sendGonePage, wantsHtml } from '#site/pages/page.ts';

/** A page for a person with a browser, the error envelope for a program. */
export function answerNotFound(request: FastifyRequest, reply: FastifyReply, hint?: string): FastifyReply {
  if (wantsHtml(request)) return sendGonePage(reply);
  throw notFound(undefined, hint);
}

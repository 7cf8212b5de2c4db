// An answer as a value, so that it can be remembered and replayed as well as sent.
import type { FastifyReply } from 'fastify';

export interface Answer {
  status: number;
  headers: Record<string, string | number>;
  body: Buffer | object;
}

export function sendAnswer(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  return reply.code(status).headers(headers).send(body);
}

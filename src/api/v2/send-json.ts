// How version 2 sends what belongs to an account.
import type { FastifyReply } from 'fastify';

export const sendJson = (reply: FastifyReply, body: object): FastifyReply =>
  reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }).send(body);

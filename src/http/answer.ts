// An answer as a value, so that it can be remembered and replayed as well as sent.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OpenBlob } from '#storage/blobs.ts';

export interface Answer {
  status: number;
  headers: Record<string, string | number>;
  body: Buffer | object;
}

export function sendAnswer(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  return reply.code(status).headers(headers).send(body);
}

/**
 * The reply owns the blob from here on and closes it at its end, or when the client leaves. Where answers wait for their turn on
 * one connection (pipelining), Node reports the end of the connection to the socket only, so that is where we listen.
 */
export function sendStream(request: FastifyRequest, reply: FastifyReply, blob: OpenBlob): FastifyReply {
  const { socket } = request.raw;
  const letGo = () => blob[Symbol.dispose]();
  if (socket.destroyed || reply.sent) letGo();
  socket.once('close', letGo);
  blob.stream.once('close', () => socket.off('close', letGo));
  return reply.send(blob.stream);
}

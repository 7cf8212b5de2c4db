// An answer as a value, so that it can be remembered and replayed as well as sent.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OpenBlob } from '#storage/blobs.ts';
import { onceClosed } from '#http/hang-up.ts';

/** A body in memory, or one that is streamed from the store; whoever holds the second sends it. */
export type Answer = {
  status: number;
  headers: Record<string, string | number>;
} & ({ body: Buffer | object } | { blob: OpenBlob });

export function sendAnswer(request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply {
  reply.code(answer.status).headers(answer.headers);
  return 'blob' in answer ? sendStream(request, reply, answer.blob) : reply.send(answer.body);
}

/** The reply owns the blob from here on: it is closed when all is sent, or when the client leaves. */
export function sendStream(request: FastifyRequest, reply: FastifyReply, blob: OpenBlob): FastifyReply {
  const letGo = () => blob[Symbol.dispose]();
  const stopListening = onceClosed(request, letGo);
  // One that has failed already does not say so again, and the connection may last for many more requests.
  if (blob.stream.closed) stopListening();
  else blob.stream.once('close', stopListening);
  if (request.raw.socket.destroyed || reply.sent) letGo();
  return reply.send(blob.stream);
}

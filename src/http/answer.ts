// A response as a value, so that it can be stored and replayed as well as sent.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OpenBlob } from '#storage/blobs.ts';
import { onceClosed } from '#http/connection/hang-up.ts';

/** A body in memory, or one streamed from the store; the holder of a stream must send it. */
export type Answer = {
  status: number;
  headers: Record<string, string | number>;
} & ({ body: object } | { blob: OpenBlob });

export function sendAnswer(request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply {
  reply.code(answer.status).headers(answer.headers);
  return 'blob' in answer ? sendStream(request, reply, answer.blob) : reply.send(answer.body);
}

/** The reply owns the blob from here on: it is closed when everything is sent, or when the client disconnects. */
export function sendStream(request: FastifyRequest, reply: FastifyReply, blob: OpenBlob): FastifyReply {
  const letGo = () => blob[Symbol.dispose]();
  const stopListening = onceClosed(request, letGo);
  // A stream that is already closed emits no further event, and the connection may serve many more requests.
  if (blob.stream.closed) stopListening();
  else blob.stream.once('close', stopListening);
  if (request.raw.socket.destroyed || reply.sent) letGo();
  return reply.send(blob.stream);
}

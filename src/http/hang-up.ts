// Tells when a client is gone, so that work which only it would read can stop.
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Aborts when the connection ends before the answer does. */
export function hangUpSignal(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const { socket } = request.raw;
  const abort = () => controller.abort(new Error('the client hung up'));
  const stop = onceClosed(request, abort);
  if (socket.destroyed) abort();
  reply.raw.once('close', () => {
    stop();
    if (!reply.raw.writableFinished) abort();
  });
  return controller.signal;
}

/**
 * Calls `act` when the connection ends; what it returns takes that back. Where answers wait for their turn on one connection
 * (pipelining), Node reports its end to the socket only, and not to the waiting answers.
 */
export function onceClosed({ raw: { socket } }: FastifyRequest, act: () => void): () => void {
  // As many requests as a client cares to send ahead.
  socket.setMaxListeners(0);
  socket.once('close', act);
  return () => socket.off('close', act);
}

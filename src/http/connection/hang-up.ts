// Detects that a client has disconnected, so that work only for that client can stop.
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Aborts when the connection ends before the response does. */
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
 * Calls `act` when the connection ends; the returned function cancels that. If responses wait for their turn on one connection
 * (pipelining), Node reports its end only to the socket, not to the waiting responses.
 */
export function onceClosed({ raw: { socket } }: FastifyRequest, act: () => void): () => void {
  // One listener per pipelined request, whose number the client chooses.
  socket.setMaxListeners(0);
  socket.once('close', act);
  return () => socket.off('close', act);
}

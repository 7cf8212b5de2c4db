// Reports a body whose bytes stop being HTTP half-way, or that ends early, to its reader, so that the order of checks is
// kept. Node itself would keep waiting for the rest.
import type { IncomingMessage } from 'node:http';

const broken = new WeakMap<IncomingMessage, string>();

export function breakBody(request: IncomingMessage, reason: string): void {
  broken.set(request, reason);
  request.emit('broken body', reason);
}

/** Calls `fail` with the reason when the rest of the body will never come, also if that is already known. */
export function onBrokenBody(request: IncomingMessage, fail: (reason: string) => void): void {
  const reason = broken.get(request);
  if (reason === undefined) request.once('broken body', fail);
  else fail(reason);
}

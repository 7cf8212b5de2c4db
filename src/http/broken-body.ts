// Reports a body whose bytes stop being HTTP half-way, or that ends early, to whoever reads it, so that the order of checks is
// kept. Node itself would keep waiting for the rest.
import type { IncomingMessage } from 'node:http';

const broken = new WeakSet<IncomingMessage>();

export function breakBody(request: IncomingMessage): void {
  broken.add(request);
  request.emit('broken body');
}

/** Calls `fail` with the reason when the rest of the body will never come, also if that is already known. */
export function onBrokenBody(request: IncomingMessage, fail: (reason: string) => void): void {
  const tell = () => fail('it ends too early, or is not framed as its headers say');
  if (broken.has(request)) tell();
  else request.once('broken body', tell);
}

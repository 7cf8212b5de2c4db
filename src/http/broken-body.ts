// A body whose bytes stop being HTTP half-way, or end before they should: whoever reads it is told here, and answers in the
// order of checks. Node itself would go on waiting for the rest.
import type { IncomingMessage } from 'node:http';

const broken = new WeakSet<IncomingMessage>();

export function breakBody(request: IncomingMessage): void {
  broken.add(request);
  request.emit('broken body');
}

/** Calls `fail` with the reason when the rest of the body will never come, also where that was known before. */
export function onBrokenBody(request: IncomingMessage, fail: (reason: string) => void): void {
  const tell = () => fail('it ends too early, or is not framed as its headers say');
  if (broken.has(request)) tell();
  else request.once('broken body', tell);
}

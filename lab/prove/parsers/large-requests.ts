// Requests with the largest bodies, in the worst text: what each costs the thread in which the service answers everybody, all that comes
// of it included, in the best of several rounds. The service is a process of its own, so that the client's work does not count.
import { join } from 'node:path';
import { pausesSocket, takePauses, watchPauses } from '#lab/prove/pauses.ts';
import type { Finding, Size } from '#lab/prove/proof.ts';
import { program, temporaryFolder } from '#test/support/processes.ts';
import { endless, startProduct } from '#test/support/product.ts';
import { bearer } from '#test/support/requests.ts';

const rounds: Record<Size, number> = { short: 3, long: 10 };

interface Row {
  name: string;
  fields: object;
  /** Processor time of the thread. Receiving such a body takes half of it. */
  mostMs: number;
}

/** 1.3 million characters that JSON writes as six each: 7.8 MB. */
const html = `<!--${'\u0001'.repeat(1_300_000)}--><p>`;
const viewport = { width: 320, height: 320 };
const rows: Row[] = [
  { name: 'refused', fields: { html, wrong: 1 }, mostMs: 100 },
  { name: 'brackets, refused', fields: { wrong: Array.from({ length: 900_000 }, () => []) }, mostMs: 100 },
  { name: 'rendered', fields: { html, viewport }, mostMs: 150 },
  { name: 'queued, and rendered', fields: { html, viewport, async: true }, mostMs: 150 },
];

export async function measureLargeRequests(size: Size): Promise<Finding[]> {
  const folder = await temporaryFolder();
  const socket = join(folder.path, 'pauses.sock');
  const product = await startProduct({
    environment: { [pausesSocket]: socket },
    command: [process.execPath, ...watchPauses, program, 'serve'],
  });
  try {
    const key = await product.newKey(endless);
    const headers = { ...bearer(key), 'content-type': 'application/json' };
    const at = `${product.serving.origin}/api/v2/renders`;
    const findings: Finding[] = [];
    for (const row of rows) findings.push(await measure(row, at, headers, socket, size));
    return findings;
  } finally {
    await product.stop();
    await folder.remove();
  }
}

async function measure(
  { name, fields, mostMs }: Row,
  at: string,
  headers: Record<string, string>,
  socket: string,
  size: Size,
): Promise<Finding> {
  const body = JSON.stringify(fields);
  const send = async (): Promise<void> => {
    const response = await fetch(at, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': crypto.randomUUID() },
      body,
    });
    const text = await response.text();
    if (response.status !== 202) return;
    const { id } = JSON.parse(text) as { id: string };
    await (await fetch(`${at}/${id}?wait=30`, { headers })).text();
  };
  // Loads what is loaded once.
  await send();
  const best = { tookMs: Infinity, workMs: Infinity };
  for (let round = 0; round < rounds[size]; round += 1) {
    await takePauses(socket);
    const startedAt = performance.now();
    await send();
    const { share, workMs } = await takePauses(socket);
    best.tookMs = Math.min(best.tookMs, share * (performance.now() - startedAt));
    best.workMs = Math.min(best.workMs, workMs);
  }
  return {
    what: `a body of ${(body.length / 1_000_000).toFixed(1)} MB, ${name}`,
    seen: `${best.tookMs.toFixed(0)} ms of the service's own thread, ${best.workMs.toFixed(0)} ms of it at a stretch`,
    holds: best.tookMs <= mostMs,
  };
}

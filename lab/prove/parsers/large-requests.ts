// Requests with the largest bodies, in the worst text: what each costs the thread in which the service answers everybody, all that comes
// of it included, in the best of several rounds. The service is a process of its own, so that the client's work does not count, and the
// kernel is asked from outside: on a busy machine a request takes a second, in which a probe inside would cost as much as the request.
import { setTimeout as delay } from 'node:timers/promises';
import type { Finding, Size } from '#lab/prove/proof.ts';
import { mainThreadMs } from '#test/support/process-table.ts';
import { endless, startProduct } from '#test/support/product.ts';
import { bearer } from '#test/support/requests.ts';

const rounds: Record<Size, number> = { short: 3, long: 10 };
const restMs = 2_000;

interface Row {
  name: string;
  fields: object;
  /** Processor time of the thread. */
  mostMs: number;
}

/** 1.3 million characters that JSON writes as six each: 7.8 MB. */
const html = `<!--${'\u0001'.repeat(1_300_000)}--><p>`;
const viewport = { width: 320, height: 320 };
const rows: Row[] = [
  { name: 'refused', fields: { html, wrong: 1 }, mostMs: 20 },
  { name: 'brackets, refused', fields: { wrong: Array.from({ length: 900_000 }, () => []) }, mostMs: 20 },
  { name: 'rendered', fields: { html, viewport }, mostMs: 150 },
  { name: 'queued, and rendered', fields: { html, viewport, async: true }, mostMs: 150 },
];

export async function measureLargeRequests(size: Size): Promise<Finding[]> {
  const product = await startProduct();
  const { origin, child } = product.serving;
  const spentMs = () => mainThreadMs(child.pid!);
  try {
    const key = await product.newKey(endless);
    const headers = { ...bearer(key), 'content-type': 'application/json' };
    const send = createSender(`${origin}/api/v2/renders`, headers);
    // Loads what is loaded once.
    for (const { fields } of rows) await send(JSON.stringify(fields));
    const restShare = await shareAtRest(spentMs);
    const findings: Finding[] = [];
    for (const { name, fields, mostMs } of rows) {
      const body = JSON.stringify(fields);
      let bestMs = Infinity;
      for (let round = 0; round < rounds[size]; round += 1) {
        const [startedAt, before] = [performance.now(), spentMs()];
        await send(body);
        bestMs = Math.min(bestMs, spentMs() - before - restShare * (performance.now() - startedAt));
      }
      findings.push({
        what: `a body of ${(body.length / 1_000_000).toFixed(1)} MB, ${name}`,
        seen: `${bestMs.toFixed(0)} ms of the service's own thread`,
        holds: bestMs <= mostMs,
      });
    }
    return findings;
  } finally {
    await product.stop();
  }
}

/** What the thread does anyway. */
async function shareAtRest(spentMs: () => number): Promise<number> {
  const before = spentMs();
  await delay(restMs);
  return (spentMs() - before) / restMs;
}

const createSender = (at: string, headers: Record<string, string>) => async (body: string) => {
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

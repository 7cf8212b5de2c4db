// Screenshots: the whole service over HTTP against the floor, page by page, alternately.
import { startFloor } from '#bench/floor.ts';
import { startPageServer } from '#test/support/page-server.ts';
import { bearer } from '#test/support/requests.ts';
import { startService } from '#test/support/service.ts';

const rounds = 30;
const warmUps = 4;
const parallel = [1, 2, 4];
const perThroughput = 24;
const pages = { trivial: '/trivial', article: '/article.html', dashboard: '/dashboard.html' };

export async function benchScreenshots(): Promise<void> {
  const site = await startPageServer({ '/trivial': '<!doctype html><h1>Trivial</h1>' });
  const service = await startService({
    EGRESS_ALLOW: site.host,
    RENDER_CONCURRENCY: '4',
    LOG_LEVEL: 'silent',
  });
  const floor = await startFloor();
  const { key } = await service.newKey({ plan: 'business' });
  const throughService = async (url: string): Promise<number> => {
    const response = await fetch(`${service.origin}/api/v1/screenshot`, {
      method: 'POST',
      body: JSON.stringify({ url }),
      headers: { ...bearer(key), 'content-type': 'application/json' },
    });
    if (response.status !== 200) throw new Error(await response.text());
    return (await response.arrayBuffer()).byteLength;
  };

  try {
    process.stdout.write('screenshot (PNG, 1440 x 900)     floor          service        ratio\n');
    for (const [name, path] of Object.entries(pages)) {
      const url = site.base + path;
      const latencies = { floor: [] as number[], service: [] as number[] };
      for (let round = -warmUps; round < rounds; round += 1) {
        const floorMs = await timed(() => floor.screenshot(url));
        const serviceMs = await timed(() => throughService(url));
        if (round < 0) continue;
        latencies.floor.push(floorMs);
        latencies.service.push(serviceMs);
      }
      row(`${name}: latency p50 (ms)`, median(latencies.floor), median(latencies.service));
      const best = { floor: 0, service: 0 };
      for (const lanes of parallel) {
        best.floor = Math.max(best.floor, await throughput(() => floor.screenshot(url), lanes));
        best.service = Math.max(best.service, await throughput(() => throughService(url), lanes));
      }
      row(`${name}: best renders/s`, best.floor, best.service);
    }
  } finally {
    floor.close();
    await service.stop();
    await site.close();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function throughput(work: () => Promise<unknown>, lanes: number): Promise<number> {
  let left = perThroughput;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await work();
    }
  };
  const ms = await timed(() => Promise.all(Array.from({ length: lanes }, lane)));
  return (perThroughput * 1000) / ms;
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

function row(name: string, floor: number, service: number): void {
  const cells = [floor.toFixed(1), service.toFixed(1), (service / floor).toFixed(2)];
  process.stdout.write(`${name.padEnd(33)}${cells.map((cell) => cell.padEnd(15)).join('')}\n`);
}

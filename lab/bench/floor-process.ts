// A floor in its own process, so that the CPU time of its script can be told from that of the benchmark.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { startFloor } from '#lab/bench/floor.ts';
import { parseEgressAllow } from '#browser/egress/allow-list.ts';
import { createEgressRules } from '#browser/egress/rules.ts';

interface FloorSettings {
  isTold: boolean;
  /** Renders go through the proxy, which lets them reach this host. */
  proxyTo?: string;
}

export interface FloorProcess {
  pid: number;
  render(url: string): Promise<unknown>;
  stop(): void;
}

export async function startFloorProcess(settings: FloorSettings): Promise<FloorProcess> {
  const child = fork(import.meta.filename, [JSON.stringify(settings)]);
  const waiting = new Map<number, () => void>();
  let lastId = 0;
  await once(child, 'message');
  child.on('message', (id: number) => {
    waiting.get(id)?.();
    waiting.delete(id);
  });
  return {
    pid: child.pid ?? 0,
    render(url) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.set((lastId += 1), resolve);
      child.send({ id: lastId, url });
      return promise;
    },
    stop: () => child.disconnect(),
  };
}

async function serve({ isTold, proxyTo }: FloorSettings): Promise<void> {
  const rules = proxyTo === undefined ? undefined : createEgressRules({ allow: parseEgressAllow(proxyTo) });
  const floor = await startFloor({ isTold, ...(rules && { rules }) });
  const fail = (error: Error) => {
    process.stderr.write(`${error.stack}\n`);
    process.exit(1);
  };
  process.on('message', ({ id, url }: { id: number; url: string }) => {
    floor.render(url, 'screenshot').then(() => process.send?.(id), fail);
  });
  process.once('disconnect', () => floor.close());
  process.send?.('ready');
}

if (process.argv[1] === import.meta.filename) await serve(JSON.parse(process.argv[2] ?? '') as FloorSettings);

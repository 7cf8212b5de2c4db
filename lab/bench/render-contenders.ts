// The contenders for renders: the service over HTTP, the floor in this process, and Playwright, which a user would choose instead, in a
// process of its own.
import { Agent, request } from 'node:http';
import { startFloor, theBrowser } from '#lab/bench/floor.ts';
import { startPeer } from '#lab/bench/peers.ts';
import { startMeasuredService } from '#lab/bench/service.ts';
import type { RenderKind } from '#storage/schema.ts';

export interface Renderer {
  name: string;
  pid: number;
  /** Resolves to the size of the picture or PDF. */
  render(url: string): Promise<number>;
  stop(): Promise<void>;
}

/** Waits for the network to settle by Playwright's own rule, or only for the load event. */
export type Wait = 'idle' | 'load';

const agent = new Agent({ keepAlive: true });

/** `checkout` is the folder of another version to start. */
export async function startService(
  kind: RenderKind,
  egressAllow: string,
  checkout?: string,
): Promise<Renderer> {
  const service = await startMeasuredService({ EGRESS_ALLOW: egressAllow }, { checkout });
  const options = kind === 'pdf' ? { wait_until: 'load' } : {};
  return {
    name: 'Tintype',
    pid: service.pid,
    render: (url) => post(`${service.origin}/api/v1/${kind}`, { url, ...options }, service.key),
    stop: service.stop,
  };
}

export async function startFloorRenderer(kind: RenderKind): Promise<Renderer> {
  const floor = await startFloor();
  return {
    name: 'floor',
    pid: floor.pid,
    render: async (url) => (await floor.render(url, kind)).length,
    stop: async () => floor.close(),
  };
}

/** Playwright with both of its waits, in one process and on the headless-shell that the service uses. */
export async function startPlaywright(kind: RenderKind): Promise<Record<Wait, Renderer>> {
  const { executable, environment } = await theBrowser();
  const settings = { executablePath: executable, env: environment };
  const { origin, pid, stop } = await startPeer('render.js', JSON.stringify(settings));
  const waiting = (wait: Wait): Renderer => ({
    name: `Playwright, ${wait === 'idle' ? 'network idle' : 'load'}`,
    pid,
    render: (url) => post(origin, { url, kind, wait }),
    stop,
  });
  return { idle: waiting('idle'), load: waiting('load') };
}

export function post(address: string, body: object, key = ''): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const text = JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  };
  const sent = request(address, { method: 'POST', agent, headers }, (response) => {
    let size = 0;
    response.on('data', (chunk: Buffer) => (size += chunk.length));
    response.on('end', () =>
      response.statusCode === 200 ? resolve(size) : reject(new Error(`${address}: ${response.statusCode}`)),
    );
  });
  sent.on('error', reject);
  sent.end(text);
  return promise;
}

// The contenders for renders: the service over HTTP, the floor in this process, and what a user would choose instead, each peer
// in its own process, on the headless-shell that the service uses or on a full Chromium of the system.
import { Agent, request } from 'node:http';
import { startFloor, theBrowser } from '#lab/bench/floor.ts';
import { startPeer } from '#lab/bench/peers.ts';
import { startMeasuredService } from '#lab/bench/service.ts';
import type { RenderKind } from '#storage/schema.ts';

export interface Renderer {
  name: string;
  pid: number;
  /** Resolves to the size of the picture or PDF. */
  render(url: string, isFullPage?: boolean): Promise<number>;
  stop(): Promise<void>;
}

export const peerNames = ['puppeteer', 'puppeteer-cluster', 'playwright', 'browserless'] as const;
export type PeerName = (typeof peerNames)[number];
/** Waits for the network to settle by the peer's own rule, or only for the load event. */
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
    render: (url, isFullPage) =>
      post(
        `${service.origin}/api/v1/${kind}`,
        { url, ...options, ...(isFullPage && { full_page: true }) },
        service.key,
      ),
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

/** Both wait modes of a peer, in one process; `fullChromium` is the path of one to use instead of the headless-shell. */
export async function startRenderPeer(
  peer: PeerName,
  kind: RenderKind,
  fullChromium?: string,
): Promise<Record<Wait, Renderer>> {
  const { executable, environment } = await theBrowser();
  const settings = {
    executablePath: fullChromium ?? executable,
    isShell: fullChromium === undefined,
    env: environment,
  };
  const { origin, pid, stop } = await startPeer('render.js', peer, JSON.stringify(settings));
  const title = fullChromium === undefined ? peer : `${peer} on full Chromium`;
  const waiting = (wait: Wait): Renderer => ({
    name: `${title}, ${wait === 'idle' ? 'network idle' : 'load'}`,
    pid,
    render: (url, isFullPage = false) => post(origin, { url, kind, wait, isFullPage }),
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

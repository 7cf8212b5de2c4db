// The setting of the attacks: a service, the attacker's site, canaries that must not be reached, and an allowed server that may
// be.
import type { Finding, Size } from '#lab/prove/proof.ts';
import { askForRender, type RenderAnswer } from '#lab/prove/renderer.ts';
import { waysRoutes } from '#lab/prove/attacks/ways.ts';
import { type Canaries, startCanaries } from '#test/support/canaries.ts';
import { type DnsServer, startDnsServer } from '#test/support/dns-server.ts';
import { type PageServer, startPageServer } from '#test/support/page-server.ts';
import { startService, type TestService } from '#test/support/service.ts';

/** Opened by EGRESS_ALLOW; everything else on loopback is closed. */
export const allowedAddress = '127.0.0.2';
export const green = '<!doctype html><body style="margin:0;background:#00a000">';

export type Attack = (stage: Stage, size: Size) => Promise<Finding>;

export interface Stage {
  service: TestService;
  site: PageServer;
  /** The allowed server, on the port that the canaries use at other addresses. */
  twin: PageServer;
  canaries: Canaries;
  dns: DnsServer;
  shoot(url: string, body?: object): Promise<RenderAnswer>;
  /** By version 2. */
  render(body: object): Promise<RenderAnswer>;
}

export async function setUpStage(): Promise<{ stage: Stage; close: () => Promise<void> }> {
  const twin = await startPageServer({}, { address: allowedAddress });
  twin.onUpgrade((_, socket) => void socket.destroy());
  const canaries = await startCanaries(Number(new URL(twin.base).port));
  const site = await startPageServer(waysRoutes, { address: allowedAddress });
  const dns: DnsServer = await startDnsServer(addressesOf);
  const service = await startService({ EGRESS_ALLOW: allowedAddress, LOG_LEVEL: 'silent' }, 0, [dns.address]);
  const { key } = await service.newKey();
  const shoot = (url: string, body: object = {}) =>
    askForRender(`${service.origin}/api/v1/screenshot`, key, { url, width: 320, height: 320, ...body });
  const render = (body: object) => askForRender(`${service.origin}/api/v2/renders`, key, body);
  return {
    stage: { service, site, twin, canaries, dns, shoot, render },
    async close() {
      await service.stop();
      await Promise.all([site.close(), twin.close()]);
      canaries.close();
      dns.close();
    },
  };
}

/** The names of the proof, by suffix; the first label makes each one unique. */
function addressesOf(name: string, lookupsBefore: number): string[] | undefined {
  const kinds: Record<string, string[]> = {
    'private.test': ['127.0.0.1'],
    'private6.test': ['::1'],
    'mixed.test': [allowedAddress, '127.0.0.1'],
    'mixed6.test': ['93.184.215.14', '::1'],
    // Allowed at the first look-up, a canary from then on.
    'rebound.test': [lookupsBefore === 0 ? allowedAddress : '127.0.0.1'],
    'allowed.test': [allowedAddress],
  };
  return kinds[name.slice(name.indexOf('.') + 1)];
}

export const isRefusal = ({ status, code, message }: RenderAnswer): boolean =>
  status === 422 && code === 'validation_error' && message.startsWith('url: ');

/** The message must not reveal how the wall is built. */
export const isFailure = ({ status, code, message }: RenderAnswer): boolean =>
  status === 502 && code === 'capture_failed' && !/proxy|door|egress|chromium/i.test(message);

/** Four at a time, as many as the machine renders at once, so that none waits in the queue. */
export async function inTurns<T, R>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (const [index, item] of queue) results[index] = await work(item, index);
    }),
  );
  return results;
}

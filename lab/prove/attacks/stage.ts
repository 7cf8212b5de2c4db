// Where the attacks take place: a service, a site of the attacker's, canaries that must not be reached, and their twin that may be.
import type { Finding, Size } from '#lab/prove/proof.ts';
import { askForRender, type RenderAnswer } from '#lab/prove/renderer.ts';
import { waysRoutes } from '#lab/prove/attacks/ways.ts';
import { type Canaries, startCanaries } from '#lab/support/canaries.ts';
import { type DnsServer, startDnsServer } from '#lab/support/dns-server.ts';
import { type PageServer, startPageServer } from '#lab/support/page-server.ts';
import { startService, type TestService } from '#lab/support/service.ts';

/** Open by EGRESS_ALLOW; everything else on loopback is shut. */
export const allowedAddress = '127.0.0.2';
export const green = '<!doctype html><body style="margin:0;background:#00a000">';

export type Attack = (stage: Stage, size: Size) => Promise<Finding>;

export interface Stage {
  service: TestService;
  site: PageServer;
  /** The allowed server, on the port on which the canaries listen at other addresses. */
  twin: PageServer;
  canaries: Canaries;
  shoot(url: string, body?: object): Promise<RenderAnswer>;
}

export async function setUpStage(): Promise<{ stage: Stage; close: () => Promise<void> }> {
  const twin = await startPageServer({}, { address: allowedAddress });
  twin.onUpgrade((_, socket) => void socket.destroy());
  const canaries = await startCanaries(Number(new URL(twin.base).port));
  const site = await startPageServer(waysRoutes, { address: allowedAddress });
  const dns: DnsServer = await startDnsServer(addressesOf);
  const service = await startService({ EGRESS_ALLOW: allowedAddress, LOG_LEVEL: 'silent' }, 0, dns.lookup);
  const { key } = await service.newKey();
  const shoot = (url: string, body: object = {}) =>
    askForRender(`${service.origin}/api/v1/screenshot`, key, { url, width: 320, height: 320, ...body });
  return {
    stage: { service, site, twin, canaries, shoot },
    async close() {
      await service.stop();
      await Promise.all([site.close(), twin.close()]);
      canaries.close();
      dns.close();
    },
  };
}

/** The names of the proof, by their endings; the first label makes each its own. */
function addressesOf(name: string, lookupsBefore: number): string[] | undefined {
  const kinds: Record<string, string[]> = {
    'private.test': ['127.0.0.1'],
    'private6.test': ['::1'],
    'mixed.test': [allowedAddress, '127.0.0.1'],
    'mixed6.test': ['93.184.215.14', '::1'],
    // Allowed when first looked at, a canary from then on.
    'rebound.test': [lookupsBefore === 0 ? allowedAddress : '127.0.0.1'],
    'allowed.test': [allowedAddress],
  };
  return kinds[name.slice(name.indexOf('.') + 1)];
}

export const isRefusal = ({ status, code, message }: RenderAnswer): boolean =>
  status === 422 && code === 'validation_error' && message.startsWith('url: ');

/** The client is not told how the wall is built. */
export const isFailure = ({ status, code, message }: RenderAnswer): boolean =>
  status === 502 && code === 'capture_failed' && !/proxy|door|egress|chromium/i.test(message);

/** Four at a time, as many as the machine renders at once: nobody waits in line. */
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

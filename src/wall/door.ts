// The browser's only way to the web: a proxy on loopback with a door for each page (`proxyServer` of `Target.createBrowserContext`).
// All traffic of the page passes through its door and is checked and counted, so each render has its own rules and its own budget.
import { once } from 'node:events';
import { Agent, createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Authority, authorityOf } from '#wall/canonical-host.ts';
import { dial } from '#wall/dial.ts';
import { createEgressLedger, EgressRefused, keyOf, type Refusal } from '#wall/door-ledger.ts';
import type { EgressRules, Verdict } from '#wall/rules.ts';
import { waysOut, type DoorLimits } from '#wall/ways-out.ts';
import { createEgressTraffic, refuseMalformed } from '#wall/door-traffic.ts';
import { parseAddress } from '#core/address.ts';
import { createTurns } from '#core/turns.ts';

export interface Door {
  host: string;
  port: number;
  /** The rules of the render that uses the door, before its first request. Without them the door is shut. */
  use(rules: EgressRules): void;
  /** Aborts when the page has exceeded the request budget of a render. */
  overdrawn: AbortSignal;
  /** Counts a request that the browser reports as answered. Only https requests count here; the door counts the others. */
  countAnswer(url: string): void;
  /** Why the door did not reach the host and port of this URL. It comes from the door, so no page can forge it. */
  refusalOf(url: string): Refusal | undefined;
  /** Destroys all sockets of the door at once. */
  close(): Promise<void>;
}

/**
 * No rule opens this address, so no door can be reached through another, not even one of another worker while an exception opens all
 * of loopback. Only Linux has more than one address there; elsewhere the doors of other workers are not known.
 */
export const doorHost = process.platform === 'linux' ? '127.84.84.84' : '127.0.0.1';

// Limits how many of a page's names are looked up at once, so that a page with a thousand names does not flood the machine's name
// server. A page with a hundred hosts, such as a news page, should hardly wait.
const lookupsAtOnce = 32;

/** Ports of all open doors of this process. */
const doorPorts = new Set<number>();

const shut = { kind: 'denied', reason: 'the door is not in use' } as const;
const nothing: EgressRules = { decideByName: () => shut, decide: () => Promise.resolve(shut) };

export async function openEgressDoor(changed: Partial<DoorLimits> = {}): Promise<Door> {
  const limits = { ...waysOut.page.limits, ...changed };
  let rules = nothing;
  const sockets = createSocketSet();
  const agents = new Map<Socket, Agent>();
  const verdicts = new Map<string, Promise<Verdict>>();
  const inTurn = createTurns(lookupsAtOnce);
  const ledger = createEgressLedger(limits, sockets.destroy);
  const closed = new AbortController();

  /** Every connection to a server is made here. */
  async function reach(target: Authority): Promise<Socket> {
    const verdict = await verdictOf(target);
    if (verdict.kind !== 'allowed') throw new EgressRefused(verdict.kind, verdict.reason);
    if (verdict.addresses.some((address) => isDoor(address, target.port)))
      throw new EgressRefused('denied', 'a door of the egress proxy is not a target');
    const isDone = () => closed.signal.aborted || ledger.isSpent();
    const upstream = await dial({
      ...verdict,
      port: target.port,
      timeoutMs: limits.connectMs,
      isDone,
      track: sockets.track,
    });
    upstream.on('data', ledger.countBytes);
    ledger.succeed(target);
    return upstream;
  }

  /** One verdict per host and port for the life of the door: if the name changes its address later, the verdict stays. */
  function verdictOf(target: Authority): Promise<Verdict> {
    const decide = async (): Promise<Verdict> =>
      closed.signal.aborted
        ? { kind: 'unresolved', reason: 'the render is over' }
        : rules.decide(target.host, target.port, closed.signal);
    const byName = () => rules.decideByName(target.host, target.port);
    const verdict = verdicts.get(keyOf(target)) ?? Promise.resolve(byName() ?? inTurn(decide));
    verdicts.set(keyOf(target), verdict);
    return verdict;
  }

  const agentOf = (client: Socket) => agents.get(client);
  const traffic = createEgressTraffic({ ledger, reach, agentOf, limits });
  const server = createServer({
    maxHeaderSize: limits.requestHeaderBytes,
    // The door closes with its render.
    keepAliveTimeout: 0,
    headersTimeout: 0,
    requestTimeout: 0,
    noDelay: true,
  });
  server.on('connection', (client) => {
    sockets.track(client);
    agents.set(client, createAgent(client, reach));
    client.on('data', ledger.countBytes);
    client.on('close', () => {
      agents.get(client)?.destroy();
      agents.delete(client);
    });
    if (!ledger.countConnection(agents.size)) client.destroy();
  });
  server.on('request', traffic.forward);
  server.on('connect', (request, client, head) => {
    traffic.tunnel(request, head).catch(() => client.destroy());
  });
  server.on('clientError', refuseMalformed);

  server.listen(0, doorHost);
  await once(server, 'listening');
  // From here on only `accept` can fail, if descriptors run out. Then the connection is lost, but not the door.
  server.on('error', () => ledger.countConnection(Infinity));
  const { port } = server.address() as AddressInfo;
  doorPorts.add(port);

  return {
    host: doorHost,
    port,
    use(given) {
      rules = given;
    },
    overdrawn: ledger.overdrawn,
    countAnswer(url) {
      if (url.startsWith('https:')) ledger.countTunnelledRequest();
    },
    refusalOf: (url) => ledger.refusalOf(authorityOf(url)),
    async close() {
      if (closed.signal.aborted) return;
      closed.abort();
      doorPorts.delete(port);
      const ended = once(server, 'close');
      server.close();
      sockets.destroy();
      await ended;
    },
  };
}

/** Possible only if an exception opens loopback: a door that dials a door would loop forever. */
function isDoor(address: string, port: number): boolean {
  const isShared = doorHost === '127.0.0.1';
  if (isShared && !doorPorts.has(port)) return false;
  const text = parseAddress(address)?.join('.');
  return text === doorHost || (isShared && text === '0.0.0.0');
}

/**
 * The browser keeps one connection to the door per server and reuses it, so each of them has its own connection to that server.
 * If a reused connection turns out to be closed, the browser sees that as it would without a proxy, and retries by its own
 * rules.
 */
function createAgent(client: Socket, reach: (target: Authority) => Promise<Socket>): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const connect = async (target: Authority, settle: (error: Error | null, upstream?: Socket) => void) => {
    const upstream = await reach(target).catch((error: Error) => error);
    if (upstream instanceof Error) return settle(upstream);
    if (!client.destroyed) return settle(null, upstream);
    upstream.destroy();
    return settle(new Error('the browser hung up'));
  };
  agent.createConnection = ({ host, port }, settle) => {
    const settled = settle as Parameters<typeof connect>[1];
    connect({ host: host!, port: Number(port) }, settled).catch((error: Error) => settled(error));
    return undefined;
  };
  return agent;
}

function createSocketSet() {
  const sockets = new Set<Socket>();
  return {
    track(socket: Socket): void {
      sockets.add(socket);
      // The close event that follows an error reports what it means.
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    },
    destroy(): void {
      for (const socket of sockets) socket.destroy();
    },
  };
}

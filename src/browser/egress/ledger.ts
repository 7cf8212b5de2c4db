// Records what one door let through and refused, and keeps the budget of its render.
import type { Authority } from '#browser/egress/canonical-host.ts';

const MiB = 1024 * 1024;

export interface EgressLimits {
  /** Both directions together. */
  bytes: number;
  /** Plain requests, tunnels, and the requests inside tunnels that the browser reports as answered. */
  requests: number;
  /** Connections from the browser that may be open at once. */
  connectionsAtOnce: number;
  connections: number;
  /** A backstop: the door closes with its render. */
  idleMs: number;
  connectMs: number;
  /**
   * Of a plain request or response; what TLS carries is not read here. Twice what Node and HAProxy accept and as much as Varnish
   * and nginx, so no site that works behind one of them is refused. Chromium's own limit is eight times as much.
   */
  headerBytes: number;
}

export const egressLimits: EgressLimits = {
  bytes: 200 * MiB,
  requests: 3_000,
  connectionsAtOnce: 256,
  connections: 2_000,
  idleMs: 60_000,
  connectMs: 10_000,
  headerBytes: MiB / 32,
};

export type RefusalKind = 'denied' | 'unresolved' | 'unreachable' | 'exhausted';
export type Exhausted = 'bytes' | 'requests' | 'connections';

export interface Refusal extends Authority {
  kind: RefusalKind;
  scheme: 'http' | 'connect';
  reason: string;
}

export interface EgressReport {
  /** One entry per host and port, kept for the life of the door; the request budget bounds their number. */
  denied: Refusal[];
  unresolved: Refusal[];
  /** Only hosts whose last attempt failed. */
  unreachable: Refusal[];
  exhausted: Exhausted | undefined;
  refusedConnections: number;
  connections: number;
  requests: number;
  bytesIn: number;
  bytesOut: number;
}

/** Thrown on the way to a server, sent to the browser as a response and reported to the renderer. */
export class EgressRefused extends Error {
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind, reason: string) {
    super(reason);
    this.name = 'EgressRefused';
    this.kind = kind;
  }
}

export type EgressLedger = ReturnType<typeof createEgressLedger>;

/** `cut` ends every open stream. It is called when the budget of bytes, or of requests inside tunnels, is spent. */
export function createEgressLedger(limits: EgressLimits, cut: () => void) {
  const counts = { connections: 0, requests: 0, bytesIn: 0, bytesOut: 0, refusedConnections: 0 };
  const refusals = new Map<string, Refusal>();
  const overdrawn = new AbortController();
  let exhausted: Exhausted | undefined;

  function exhaust(what: Exhausted): void {
    exhausted ??= what;
    if (what === 'requests') overdrawn.abort();
  }

  return {
    /** Aborts when the request budget is spent: refusing further requests of such a page would cost too much. */
    overdrawn: overdrawn.signal,

    /** False if there are too many connections already. */
    countConnection(openNow: number): boolean {
      counts.connections += 1;
      if (counts.connections <= limits.connections && openNow <= limits.connectionsAtOnce) return true;
      counts.refusedConnections += 1;
      exhaust('connections');
      return false;
    },

    countRequest(): void {
      if (counts.requests >= limits.requests) exhaust('requests');
      if (counts.requests >= limits.requests || exhausted === 'bytes')
        throw new EgressRefused('exhausted', `the budget of this render is spent (${exhausted})`);
      counts.requests += 1;
    },

    /** Inside TLS the door sees only bytes; without this, a page could send requests without end over one HTTP/2 connection. */
    countTunnelledRequest(): void {
      counts.requests += 1;
      if (counts.requests === limits.requests + 1) {
        exhaust('requests');
        cut();
      }
    },

    countBytes(direction: 'bytesIn' | 'bytesOut', length: number): void {
      counts[direction] += length;
      if (counts.bytesIn + counts.bytesOut <= limits.bytes || exhausted === 'bytes') return;
      exhausted = 'bytes';
      cut();
    },

    refuse(scheme: Refusal['scheme'], target: Authority, { kind, message: reason }: EgressRefused): void {
      const { host, port } = target;
      if (kind !== 'exhausted') refusals.set(keyOf(target), { kind, scheme, host, port, reason });
    },

    succeed(target: Authority): void {
      refusals.delete(keyOf(target));
    },

    refusalOf(target: Authority | undefined): Refusal | undefined {
      return target && refusals.get(keyOf(target));
    },

    /** True once the byte budget is spent: nothing new may begin. */
    isSpent: () => exhausted === 'bytes',

    report(): EgressReport {
      const all = [...refusals.values()];
      return {
        denied: all.filter(({ kind }) => kind === 'denied'),
        unresolved: all.filter(({ kind }) => kind === 'unresolved'),
        unreachable: all.filter(({ kind }) => kind === 'unreachable'),
        exhausted,
        ...counts,
      };
    },
  };
}

export const keyOf = ({ host, port }: Authority): string => `${host} ${port}`;

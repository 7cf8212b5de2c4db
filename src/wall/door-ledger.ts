// Records what one door refused, and keeps the budget of its render.
import type { Authority } from '#wall/canonical-host.ts';
import type { DoorLimits } from '#wall/ways-out.ts';

export type RefusalKind = 'denied' | 'blocked' | 'unresolved' | 'unreachable' | 'exhausted';
type Exhausted = 'bytes' | 'requests' | 'connections';

export interface Refusal {
  kind: RefusalKind;
  reason: string;
}

/** Thrown on the way to a server, and sent to the browser as a response. */
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
export function createEgressLedger(limits: DoorLimits, cut: () => void) {
  const counts = { connections: 0, requests: 0, bytes: 0 };
  /** One entry for each host and port whose last attempt failed; the request budget bounds their number. */
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

    /** In either direction. */
    countBytes({ length }: Buffer): void {
      counts.bytes += length;
      if (counts.bytes <= limits.bytes || exhausted === 'bytes') return;
      exhausted = 'bytes';
      cut();
    },

    refuse(target: Authority, { kind, message: reason }: EgressRefused): void {
      if (kind !== 'exhausted') refusals.set(keyOf(target), { kind, reason });
    },

    succeed(target: Authority): void {
      refusals.delete(keyOf(target));
    },

    refusalOf(target: Authority | undefined): Refusal | undefined {
      return target && refusals.get(keyOf(target));
    },

    /** True once the byte budget is spent: nothing new may begin. */
    isSpent: () => exhausted === 'bytes',
  };
}

export const keyOf = ({ host, port }: Authority): string => `${host} ${port}`;

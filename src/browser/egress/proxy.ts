// The browser's only way to the web: a loopback proxy with one door per render, so that each render has its own record, its own
// rules and its own budget.
import { type Door, openEgressDoor } from '#browser/egress/door.ts';
import { type EgressLimits, egressLimits } from '#browser/egress/ledger.ts';
import type { EgressRules } from '#browser/egress/rules.ts';

export interface EgressProxy {
  /** For one browser context (`proxyServer` of `Target.createBrowserContext`). */
  openDoor(): Promise<Door>;
  close(): Promise<void>;
}

export function createEgressProxy(
  options: {
    /** For every door; without them a door is shut until it gets its own. */
    rules?: EgressRules;
    limits?: Partial<EgressLimits>;
  } = {},
): EgressProxy {
  const { rules = nothing } = options;
  const limits = { ...egressLimits, ...options.limits };
  const doors = new Set<Door>();
  const ownPorts = new Set<number>();
  let isClosed = false;

  async function openDoor(): Promise<Door> {
    const opened = await openEgressDoor({ rules, limits, ownPorts });
    // Checked after the wait, so that a door that was opened while the proxy closes does not stay open.
    if (isClosed) {
      await opened.close();
      throw new Error('the egress proxy is closed');
    }
    const door: Door = {
      ...opened,
      async close() {
        doors.delete(door);
        await opened.close();
      },
    };
    doors.add(door);
    return door;
  }

  async function close(): Promise<void> {
    isClosed = true;
    await Promise.all([...doors].map((door) => door.close()));
  }

  return { openDoor, close };
}

const shut = { kind: 'denied', reason: 'the door is not in use' } as const;
const nothing: EgressRules = { decideByName: () => shut, decide: () => Promise.resolve(shut) };

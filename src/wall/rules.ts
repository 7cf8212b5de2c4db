// Decides which hosts a page may reach and at which addresses: public ones, and the operator's exceptions.
import { isIP } from 'node:net';
import { canonicalHost } from '#wall/canonical-host.ts';
import type { EgressException } from '#wall/egress-allow.ts';
import { mayBeGranted } from '#wall/grants.ts';
import { createNames, type Lookup } from '#wall/name-lookup.ts';
import { isInBlock, parseAddress } from '#core/address.ts';
import { whyNotPublic } from '#wall/public-address.ts';

export type Verdict =
  /** The caller dials only these addresses: looking the name up again could give a different answer. */
  | { kind: 'allowed'; addresses: string[] }
  | { kind: 'denied'; reason: string }
  /** By the client. */
  | { kind: 'blocked'; reason: string }
  | { kind: 'unresolved'; reason: string };

/** What the rules are made from; plain data, so that a worker can make the same. */
export interface EgressSettings {
  allow: readonly EgressException[];
  /** Name servers to ask instead of those of the system. */
  nameServers?: readonly string[];
}

export interface EgressRules {
  /** The decision that needs no look-up: for addresses, and for names that never mean a public host. */
  decideByName(hostname: string, port: number): Verdict | undefined;
  /** The signal cancels the look-up. */
  decide(hostname: string, port: number, signal?: AbortSignal): Promise<Verdict>;
}

const lookupTimeoutMs = 5_000;
/** Each is checked, and a page may ask for thousands of ports of one name. Large sites have about ten. */
const maxAddresses = 100;
const never = new AbortController().signal;

// Names that by RFC 6761, 6762 (appendix G), 8375 and ICANN's reservation never mean a public host, and names that systems write
// into their hosts files. Without an exception they are refused without a query: it would reveal to the local resolver what was
// tried, and an answer could only be private or wrong.
const privateSuffix =
  /(^|\.)(localhost|localdomain[46]?|local|internal|intranet|private|corp|home|lan|home\.arpa)$/;
const isPrivateName = (host: string): boolean => !host.includes('.') || privateSuffix.test(host);
const localhostName = /(^|\.)localhost$|^localhost[46]?(\.localdomain[46]?)?$|^ip6-(localhost|loopback)$/;

export function createEgressRules(
  options: EgressSettings & {
    /** Lets a test use its own resolver. */
    lookup?: Lookup;
  },
): EgressRules {
  const { allow, nameServers, lookup = createNames(nameServers && { servers: nameServers }) } = options;

  function decideByName(hostname: string, port: number): Verdict | undefined {
    const host = canonicalHost(hostname);
    if (host === undefined) return denied('the host is malformed');
    if (!Number.isInteger(port) || port < 1 || port > 65_535) return denied('the port is out of range');
    if (isIP(host)) {
      const why = whyNotAllowed(host, port);
      return why === undefined
        ? { kind: 'allowed', addresses: [host] }
        : denied(`${host} is not a public address (${why})`);
    }
    // An exception for addresses also opens the private names that resolve to them, because an operator may have listed a whole
    // internal network. localhost must be listed by name: what it resolves to differs between machines.
    const mayBeListed =
      !localhostName.test(host) && allow.some((entry) => entry.kind === 'block' && covers(entry, port));
    const isOpen = listed(host, port).length > 0 || !isPrivateName(host) || mayBeListed;
    return isOpen ? undefined : denied(`${host} is not a public name`);
  }

  async function decide(hostname: string, port: number, signal = never): Promise<Verdict> {
    const verdict = decideByName(hostname, port);
    if (verdict) return verdict;
    const host = canonicalHost(hostname)!;
    const isPrivate = isPrivateName(host);
    const entries = listed(host, port);
    const isNamed = entries.length > 0;
    const found = await resolve(host, isPrivate || isNamed, signal);
    if (!Array.isArray(found)) return found;
    const isGranted = isNamed && entries.every(({ isGrant }) => isGrant === true);
    if (isGranted && !found.every(mayBeGranted))
      return denied(`${host} resolves to an address that is never granted`);
    const isOpen = (address: string) =>
      isPrivate ? isException(address, port) : whyNotAllowed(address, port) === undefined;
    // The message does not contain the addresses: the client must not learn what an internal resolver answered.
    return !isNamed && !found.every(isOpen)
      ? denied(`${host} resolves to an address that is not public`)
      : { kind: 'allowed', addresses: found };
  }

  function listed(host: string, port: number): EgressException[] {
    return allow.filter((entry) => entry.kind === 'name' && entry.name === host && covers(entry, port));
  }

  function whyNotAllowed(address: string, port: number): string | undefined {
    return isException(address, port) ? undefined : whyNotPublic(address);
  }

  function isException(address: string, port: number): boolean {
    const bytes = parseAddress(address);
    return allow.some(
      (entry) =>
        entry.kind === 'block' && bytes !== undefined && isInBlock(bytes, entry.block) && covers(entry, port),
    );
  }

  async function resolve(name: string, isInner: boolean, signal: AbortSignal): Promise<string[] | Verdict> {
    const own = new AbortController();
    const ended = AbortSignal.any([signal, own.signal]);
    const timer = setTimeout(() => own.abort(new Error('timed out')), lookupTimeoutMs);
    try {
      const records = await Promise.race([lookup(name, { isInner, signal: ended }), rejectedBy(ended)]);
      if (records.length > maxAddresses)
        return { kind: 'unresolved', reason: `${name} has more than ${maxAddresses} addresses` };
      if (records.length > 0) return records.map(({ address }) => address);
      return { kind: 'unresolved', reason: `${name} has no address` };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return { kind: 'unresolved', reason: `${name} does not resolve (${code ?? message})` };
    } finally {
      clearTimeout(timer);
      own.abort();
    }
  }

  return { decideByName, decide };
}

const denied = (reason: string): Verdict => ({ kind: 'denied', reason });

const covers = (entry: { port: number | undefined }, port: number): boolean =>
  entry.port === undefined || entry.port === port;

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
  });
}

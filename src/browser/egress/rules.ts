// Decides which hosts a page may reach and at which addresses: public ones, and the operator's exceptions. Design 3, 5.
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { canonicalHost } from '#browser/egress/canonical-host.ts';
import type { EgressException } from '#browser/egress/allow-list.ts';
import { isInBlock, parseAddress, whyNotPublic } from '#browser/egress/public-address.ts';

export type Verdict =
  /** The caller dials these addresses and no others: looking the name up again could give a different answer. */
  | { kind: 'allowed'; addresses: string[] }
  | { kind: 'denied'; reason: string }
  | { kind: 'unresolved'; reason: string };

export interface EgressRules {
  decide(hostname: string, port: number): Promise<Verdict>;
}

export type Lookup = (name: string) => Promise<{ address: string }[]>;

const lookupTimeoutMs = 5_000;

// Names that by RFC 6761, 6762, 8375 and ICANN's reservation never mean a public host. Without an exception they are
// refused unasked: a query would tell the local resolver what was tried, and an answer could only be private or wrong.
const privateName = /^[^.]+$|(^|\.)(localhost|local|internal|home\.arpa)$/;
const localhostName = /(^|\.)localhost$/;

export function createEgressRules(options: {
  allow: readonly EgressException[];
  /** For a test's own resolver. */
  lookup?: Lookup;
}): EgressRules {
  const { allow, lookup = lookupAll } = options;

  async function decide(hostname: string, port: number): Promise<Verdict> {
    const host = canonicalHost(hostname);
    if (host === undefined) return denied('the host is malformed');
    if (!Number.isInteger(port) || port < 1 || port > 65_535) return denied('the port is out of range');

    if (isIP(host)) {
      const why = whyNotAllowed(host, port);
      return why === undefined
        ? { kind: 'allowed', addresses: [host] }
        : denied(`${host} is not a public address (${why})`);
    }

    const isListed = allow.some(
      (entry) => entry.kind === 'name' && entry.name === host && covers(entry, port),
    );
    // A private name opens with the addresses it stands for, as where an operator has listed a whole inner network.
    // localhost opens by name alone: what it resolves to differs from machine to machine.
    const isPrivate = privateName.test(host);
    const mayBeListed =
      !localhostName.test(host) && allow.some((entry) => entry.kind === 'block' && covers(entry, port));
    if (!isListed && isPrivate && !mayBeListed) return denied(`${host} is not a public name`);

    const found = await resolve(host);
    if (!Array.isArray(found)) return found;
    const isOpen = (address: string) =>
      isPrivate ? isException(address, port) : whyNotAllowed(address, port) === undefined;
    // The addresses are not told: the answer of an inner resolver is none of the client's business.
    return !isListed && !found.every(isOpen)
      ? denied(`${host} resolves to an address that is not public`)
      : { kind: 'allowed', addresses: found };
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

  async function resolve(name: string): Promise<string[] | Verdict> {
    const timeout = Promise.withResolvers<never>();
    const timer = setTimeout(() => timeout.reject(new Error('timed out')), lookupTimeoutMs);
    try {
      const records = await Promise.race([lookup(name), timeout.promise]);
      if (records.length > 0) return records.map(({ address }) => address);
      return { kind: 'unresolved', reason: `${name} has no address` };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return { kind: 'unresolved', reason: `${name} does not resolve (${code ?? message})` };
    } finally {
      clearTimeout(timer);
    }
  }

  return { decide };
}

const denied = (reason: string): Verdict => ({ kind: 'denied', reason });

const covers = (entry: { port: number | undefined }, port: number): boolean =>
  entry.port === undefined || entry.port === port;

/** The system's resolver, hosts file included. */
const lookupAll: Lookup = (name) => systemLookup(name, { all: true, order: 'verbatim' });

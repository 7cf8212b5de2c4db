// Hosts that a render does not reach because the client blocks them: names of the request, and the operator's file. v2 2 (page).
import { isIP } from 'node:net';
import { canonicalHost } from '#wall/canonical-host.ts';
import type { EgressRules, Verdict } from '#wall/rules.ts';

/** The same rules, with these hosts and their subdomains blocked. */
export function withBlockedHosts(rules: EgressRules, lists: ReadonlySet<string>[]): EgressRules {
  const blockedBy = (hostname: string): Verdict | undefined => {
    const host = canonicalHost(hostname);
    const isBlocked =
      host !== undefined && namesAbove(host).some((name) => lists.some((list) => list.has(name)));
    return isBlocked ? { kind: 'blocked', reason: `${host} is blocked by the request` } : undefined;
  };
  return {
    decideByName: (hostname, port) => blockedBy(hostname) ?? rules.decideByName(hostname, port),
    decide: async (hostname, port, signal) => blockedBy(hostname) ?? rules.decide(hostname, port, signal),
  };
}

/** `a.b.example` is in `a.b.example`, `b.example` and `example`; an address is in itself alone. */
export function namesAbove(host: string): string[] {
  if (isIP(host)) return [host];
  const labels = host.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}

export interface HostNames {
  names: Set<string>;
  /** The first line that has something other than names. */
  mistake: { line: number; text: string } | undefined;
}

/** A hosts file (`0.0.0.0 ads.example.com`) or one name a line; `#` begins a comment. Adds to `names`. */
export function parseHostNames(text: string, names = new Set<string>()): HostNames {
  let mistake: HostNames['mistake'];
  for (const [index, line] of text.split('\n').entries()) {
    const [first, ...further] = line.replace(/#.*/, '').trim().split(/\s+/);
    const listed =
      first === undefined || first === '' ? [] : isAddress(first) ? further : [first, ...further];
    for (const given of listed) {
      const name = nameOf(given);
      if (name === undefined) mistake ??= { line: index + 1, text: line.trim() };
      // A hosts file also names its own machine: `127.0.0.1 localhost`, `0.0.0.0 0.0.0.0`.
      else if (name.includes('.') && !isAddress(name)) names.add(name);
    }
  }
  return { names, mistake };
}

/** Throws what is wrong with the file, for the operator. */
export function checkHostNames(text: string): void {
  const { names, mistake } = parseHostNames(text);
  if (mistake)
    throw new Error(`line ${mistake.line} is not a name: ${JSON.stringify(mistake.text.slice(0, 80))}`);
  if (names.size === 0) throw new Error('it has no names');
}

/** A quick look that takes no name for an address. */
const isAddress = (text: string): boolean => /^[0-9.]+$|:/.test(text);

/** Most are plain, and a list may have 200,000. */
function nameOf(given: string): string | undefined {
  if (/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(given)) return given;
  const host = canonicalHost(given);
  return host !== undefined && /^[a-z0-9._-]+$/.test(host) ? host : undefined;
}

// Looks up names: the hosts file first, then DNS for both address families at once. It uses c-ares instead of the system's
// resolver, which blocks one of the process's few threads per name and cannot be cancelled; a page may name thousands of hosts
// that never answer.
import { Resolver } from 'node:dns/promises';
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';

export type Lookup = (
  name: string,
  options: {
    /** A name in the operator's own network: it may be relative to a search domain. */
    isInner: boolean;
    /** Cancels the look-up. */
    signal: AbortSignal;
  },
) => Promise<{ address: string }[]>;

// c-ares doubles the timeout with each attempt: a lost packet costs 1.6 s, and a silent server is given up after 4 s.
const query = { timeout: 800, tries: 3 };
// RFC 8305 section 3: some servers never answer for the other family. Only received addresses are ever dialled.
const otherFamilyMs = 500;

export function createNames({
  hostsFile = '/etc/hosts',
  resolverFile = '/etc/resolv.conf',
  servers,
}: {
  hostsFile?: string;
  resolverFile?: string;
  /** Used instead of the servers in resolv.conf. */
  servers?: readonly string[];
} = {}): Lookup {
  const hosts = readWhenChanged(hostsFile, parseHosts);
  const search = readWhenChanged(resolverFile, parseSearch);

  /** One resolver per name, created in 0.1 ms: cancelling one does not affect another, and resolv.conf is always read afresh. */
  async function ask(name: string, signal: AbortSignal): Promise<string[]> {
    const resolver = new Resolver(query);
    if (servers) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.throwIfAborted();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await bothFamilies(resolver.resolve4(name), resolver.resolve6(name));
    } finally {
      signal.removeEventListener('abort', cancel);
      cancel();
    }
  }

  return async (name, { isInner, signal }) => {
    const known = hosts()?.get(name) ?? (isLoopbackName(name) ? ['127.0.0.1', '::1'] : undefined);
    if (known) return known.map((address) => ({ address }));
    const spellings = isInner ? fullNames(name, search()) : [name];
    for (;;) {
      try {
        const found = await ask(spellings.shift()!, signal);
        return found.map((address) => ({ address }));
      } catch (error) {
        if (spellings.length === 0 || signal.aborted) throw error;
      }
    }
  };
}

/** Rejects if neither family has an address. */
async function bothFamilies(four: Promise<string[]>, six: Promise<string[]>): Promise<string[]> {
  const found: [string[], string[]] = [[], []];
  const both = Promise.allSettled([
    four.then((addresses) => (found[0] = addresses)),
    six.then((addresses) => (found[1] = addresses)),
  ]);
  const first = await Promise.any([four, six]).catch(() => undefined);
  if (first === undefined) await four;
  let timer: NodeJS.Timeout | undefined;
  const longEnough = new Promise((resolve) => (timer = setTimeout(resolve, otherFamilyMs)));
  await Promise.race([both, longEnough]);
  clearTimeout(timer);
  const [fours, sixes] = found;
  // Alternates the families, so that a family that the machine lacks cannot fill the list of addresses to try.
  return Array.from({ length: Math.max(fours.length, sixes.length) }, (_, index) => [
    fours[index],
    sixes[index],
  ])
    .flat()
    .filter((address) => address !== undefined);
}

/** RFC 6761 6.3: the same everywhere, even if the hosts file does not contain it. */
const isLoopbackName = (name: string): boolean => /(^|\.)localhost$/.test(name);

interface Search {
  domains: string[];
  ndots: number;
}

/** As in resolv.conf(5): a name with enough dots is tried as it is first, a shorter one last. */
function fullNames(name: string, { domains, ndots }: Search = { domains: [], ndots: 1 }): string[] {
  const longer = domains.map((domain) => `${name}.${domain}`);
  return name.split('.').length - 1 >= ndots ? [name, ...longer] : [...longer, name];
}

function parseSearch(text: string): Search {
  const search: Search = { domains: [], ndots: 1 };
  for (const line of text.split('\n')) {
    const [keyword, ...words] = line.trim().split(/\s+/);
    if (keyword === 'search' || keyword === 'domain')
      search.domains = words.map((domain) => domain.replace(/\.$/, ''));
    const ndots = keyword === 'options' && words.find((word) => word.startsWith('ndots:'));
    if (ndots) search.ndots = Number(ndots.slice('ndots:'.length)) || 0;
  }
  return search;
}

function parseHosts(text: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.split('#', 1)[0]!.trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names.map((spelled) => spelled.toLowerCase().replace(/\.$/, ''))) {
      const addresses = hosts.get(name);
      if (addresses) addresses.push(address);
      else hosts.set(name, [address]);
    }
  }
  return hosts;
}

/** Undefined if there is no such file. */
function readWhenChanged<T>(path: string, parse: (text: string) => T): () => T | undefined {
  let version = '';
  let parsed: T | undefined;
  return () => {
    try {
      const { mtimeMs, size, ino } = statSync(path);
      const found = `${mtimeMs} ${size} ${ino}`;
      if (found !== version) parsed = parse(readFileSync(path, 'utf8'));
      version = found;
    } catch {
      version = '';
      parsed = undefined;
    }
    return parsed;
  };
}

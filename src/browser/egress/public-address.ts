// Tells a public address from every other by its bytes, never by its spelling. Spec 4.3, 4.4 (`url`); design section 5.
import { isIPv4, isIPv6 } from 'node:net';

export interface AddressBlock {
  bytes: readonly number[];
  prefixLength: number;
}

/** True only for global unicast; whatever cannot be parsed is not public. */
export const isPublicAddress = (address: string): boolean => whyNotPublic(address) === undefined;

/** What the address is instead of public, in words for a message; undefined for a public one. */
export function whyNotPublic(address: string): string | undefined {
  const bytes = parseAddress(address);
  if (bytes === undefined) return 'not an IP address';
  return bytes.length === 4 ? whyNotPublicIPv4(bytes) : whyNotPublicIPv6(bytes);
}

/**
 * 4 or 16 bytes. An IPv4-mapped IPv6 address is the IPv4 address: that is where a socket to it goes. Zone ids
 * (`fe80::1%eth0`) name an interface of this machine and are refused.
 */
export function parseAddress(text: string): number[] | undefined {
  if (isIPv4(text)) return text.split('.').map(Number);
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const bytes = parseIPv6(text);
  return isInBlock(bytes, mapped) ? bytes.slice(12) : bytes;
}

/** `10.0.0.0/8`, `fd00::/8`; bits past the prefix are ignored. */
export function parseBlock(text: string): AddressBlock | undefined {
  const [address = '', prefix = '', ...rest] = text.split('/');
  const bytes = parseAddress(address);
  const prefixLength = Number(prefix);
  const isPrefix = /^\d{1,3}$/.test(prefix) && bytes !== undefined && prefixLength <= bytes.length * 8;
  return isPrefix && rest.length === 0 ? { bytes, prefixLength } : undefined;
}

export function isInBlock(bytes: readonly number[], block: AddressBlock): boolean {
  if (bytes.length !== block.bytes.length) return false;
  return bytes.every((byte, index) => {
    const bits = Math.min(8, Math.max(0, block.prefixLength - index * 8));
    const mask = (0xff << (8 - bits)) & 0xff;
    return (byte & mask) === (block.bytes[index]! & mask);
  });
}

const mapped: AddressBlock = {
  bytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0],
  prefixLength: 96,
};

// The whole IANA special-purpose registry, also the rows it calls globally reachable: those (PCP and TURN anycast in
// 192.0.0.0/24, AS112, AMT) are anycast helpers that a network may answer from within, and none serves a page.
const specialIPv4 = blocks({
  '0.0.0.0/8': 'this network',
  '10.0.0.0/8': 'private use',
  '100.64.0.0/10': 'shared address space',
  '127.0.0.0/8': 'loopback',
  '169.254.0.0/16': 'link-local',
  '172.16.0.0/12': 'private use',
  '192.0.0.0/24': 'IETF protocol assignments',
  '192.0.2.0/24': 'documentation',
  '192.31.196.0/24': 'AS112',
  '192.52.193.0/24': 'AMT',
  '192.88.99.0/24': '6to4 relay',
  '192.168.0.0/16': 'private use',
  '192.175.48.0/24': 'AS112',
  '198.18.0.0/15': 'benchmarking',
  '198.51.100.0/24': 'documentation',
  '203.0.113.0/24': 'documentation',
  '224.0.0.0/4': 'multicast',
  '240.0.0.0/4': 'reserved',
  // Azure's metadata and agent endpoint: public by number, reachable only from inside a virtual machine.
  '168.63.129.16/32': 'cloud metadata',
});

// Inside 2000::/3. All of 2001::/23 goes, its few globally reachable rows too: Teredo is among them, and none serves a page.
const specialIPv6 = blocks({
  '2001::/23': 'IETF protocol assignments',
  '2001:db8::/32': 'documentation',
  '2002::/16': '6to4',
  '2620:4f:8000::/48': 'AS112',
  '3fff::/20': 'documentation',
});

const globalUnicast = parseBlock('2000::/3')!;
const nat64 = parseBlock('64:ff9b::/96')!;

function whyNotPublicIPv4(bytes: readonly number[]): string | undefined {
  return specialIPv4.find(({ block }) => isInBlock(bytes, block))?.meaning;
}

function whyNotPublicIPv6(bytes: readonly number[]): string | undefined {
  // On an IPv6-only network DNS64 writes every IPv4 site this way, so the site inside is judged. The other ways to carry
  // an IPv4 address (compatible, local-use NAT64, 6to4, Teredo) are refused whole, being outside 2000::/3 or special in it.
  if (isInBlock(bytes, nat64)) return whyNotPublicIPv4(bytes.slice(12));
  if (!isInBlock(bytes, globalUnicast)) return 'not global unicast';
  if (isIsatap(bytes)) return 'ISATAP';
  return specialIPv6.find(({ block }) => isInBlock(bytes, block))?.meaning;
}

/** RFC 5214: any prefix, then 0000:5efe or 0200:5efe, then an IPv4 address of the site's inside. */
function isIsatap(bytes: readonly number[]): boolean {
  return (bytes[8]! & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
}

/** The text is known to be IPv6 without a zone. */
function parseIPv6(text: string): number[] {
  const [head = [], tail] = text.split('::').map(groupBytes);
  if (tail === undefined) return head;
  return [...head, ...Array<number>(16 - head.length - tail.length).fill(0), ...tail];
}

function groupBytes(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (group.includes('.')) return group.split('.').map(Number);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

function blocks(table: Record<string, string>): { block: AddressBlock; meaning: string }[] {
  return Object.entries(table).map(([text, meaning]) => ({ block: parseBlock(text)!, meaning }));
}

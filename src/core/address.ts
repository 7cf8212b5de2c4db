// Parses IP addresses and CIDR blocks to bytes, so that different spellings of an address compare equal.
import { isIPv4, isIPv6 } from 'node:net';

export interface AddressBlock {
  bytes: readonly number[];
  prefixLength: number;
}

/**
 * Returns 4 or 16 bytes. An IPv4-mapped IPv6 address becomes the IPv4 address, because a socket to it connects there. Zone ids
 * (`fe80::1%eth0`) name an interface of this machine and are rejected.
 */
export function parseAddress(text: string): number[] | undefined {
  if (isIPv4(text)) return text.split('.').map(Number);
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const bytes = parseIPv6(text);
  return isInBlock(bytes, mapped) ? bytes.slice(12) : bytes;
}

/** The address of a client, which some proxies forward with its port or its zone: `203.0.113.7:50321`, `[2001:db8::7]:50321`. */
export function parseClient(text: string): number[] | undefined {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, '$1');
  return parseAddress(bare.split('%', 1)[0] ?? '');
}

/**
 * A client as its owner knows it, from its address. A customer has at least a /64 of the global IPv6 addresses and uses many of them, so
 * such a client is its /64.
 */
export function clientName(address: string): string {
  const bytes = parseClient(address);
  // A trusted proxy can send any text.
  if (!bytes) return 'unknown';
  if (bytes.length === 4) return bytes.join('.');
  const isGlobal = (bytes[0]! & 0xe0) === 0x20;
  const shown = isGlobal ? bytes.map((byte, index) => (index < 8 ? byte : 0)) : bytes;
  const groups = Buffer.from(shown).toString('hex').match(/.{4}/g) ?? [];
  // Shortened as RFC 5952 wants it.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1) + (isGlobal ? '/64' : '');
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

/** `text` must be a valid IPv6 address without a zone. */
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

// Distinguishes public addresses from all others by their bytes, never by their spelling. Spec 4.3, 4.4 (`url`).
import { isInBlock, parseAddress, parseBlock, type AddressBlock } from '#core/address.ts';

/** What kind of address it is if it is not public, worded for a message; undefined for a public one. */
export function whyNotPublic(address: string): string | undefined {
  const bytes = parseAddress(address);
  if (bytes === undefined) return 'not an IP address';
  return bytes.length === 4 ? whyNotPublicIPv4(bytes) : whyNotPublicIPv6(bytes);
}

// The whole IANA special-purpose registry, including the rows it calls globally reachable: those (PCP and TURN anycast in
// 192.0.0.0/24, AS112, AMT) are anycast helpers that a network may answer internally, and none serves a page.
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
  // Azure's metadata and agent endpoint: in a public range, but reachable only from inside a virtual machine.
  '168.63.129.16/32': 'cloud metadata',
});

// Inside 2000::/3. All of 2001::/23 is refused, including its few globally reachable rows: Teredo is among them, and none serves
// a page.
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
  // On an IPv6-only network DNS64 writes every IPv4 site this way, so the embedded IPv4 address is checked. The other ways to
  // embed an IPv4 address (compatible, local-use NAT64, 6to4, Teredo) are refused altogether, because they are outside 2000::/3
  // or special in it.
  if (isInBlock(bytes, nat64)) return whyNotPublicIPv4(bytes.slice(12));
  if (!isInBlock(bytes, globalUnicast)) return 'not global unicast';
  if (isIsatap(bytes)) return 'ISATAP';
  return specialIPv6.find(({ block }) => isInBlock(bytes, block))?.meaning;
}

/** RFC 5214: any prefix, then 0000:5efe or 0200:5efe, then an IPv4 address inside the site. */
function isIsatap(bytes: readonly number[]): boolean {
  return (bytes[8]! & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
}

function blocks(table: Record<string, string>): { block: AddressBlock; meaning: string }[] {
  return Object.entries(table).map(([text, meaning]) => ({ block: parseBlock(text)!, meaning }));
}

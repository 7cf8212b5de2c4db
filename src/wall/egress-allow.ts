// Reads EGRESS_ALLOW, the operator's exceptions to the public-addresses-only rule.
import { isIPv6 } from 'node:net';
import { canonicalHost } from '#wall/canonical-host.ts';
import { type AddressBlock, parseAddress, parseBlock } from '#core/address.ts';

/** An entry without a port opens every port. */
export type EgressException = (
  | { kind: 'name'; name: string; port: number | undefined }
  | { kind: 'block'; block: AddressBlock; port: number | undefined }
) & {
  /** For one account, not for the installation. */
  isGrant?: true;
};

const expected = 'expected host[:port], IP[:port], [IPv6][:port] or a CIDR block with an optional port';

export function parseEgressAllow(text: string): EgressException[] {
  if (text.trim() === '') return [];
  return text.split(',').map((part) => {
    const entry = part.trim();
    const exception = parseEntry(entry);
    if (exception === undefined) throw new Error(`"${entry}" (${expected})`);
    return exception;
  });
}

function parseEntry(entry: string): EgressException | undefined {
  // `fd00::1:80` as a whole is an address; in IPv6 only brackets or a prefix length separate a port.
  const [, target = '', portText] = isIPv6(entry) ? [entry, entry] : (/^(.*?)(?::(\d+))?$/.exec(entry) ?? []);
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;

  const [, inside, length = ''] = /^\[([^\]]*)\](\/\d+)?$/.exec(target) ?? [];
  const address = inside?.includes(':') ? inside + length : target;
  const block = address.includes('/') ? parseBlock(address) : wholeAddress(address);
  if (block !== undefined) return { kind: 'block', block, port };

  const name = canonicalHost(target);
  // A number in another spelling (`127.1`, `0x7f000001`) is refused: the list should show plainly what it opens.
  const isName = name !== undefined && /^[a-z0-9._-]+$/.test(name) && parseAddress(name) === undefined;
  return isName ? { kind: 'name', name, port } : undefined;
}

function wholeAddress(text: string): AddressBlock | undefined {
  const bytes = parseAddress(text);
  return bytes && { bytes, prefixLength: bytes.length * 8 };
}

// Private hosts that the operator has granted to one account: `wiki.corp:443,10.0.0.5:8443`. Each names one host and one port exactly. v2 4.
import { isInBlock, parseAddress, parseBlock } from '#core/address.ts';
import { parseEgressAllow, type EgressException } from '#wall/egress-allow.ts';

const maxGrants = 50;
const maxCharacters = 5_000;

/** The exceptions for the renders of that account. Throws an Error that says which entry is wrong. */
export function parseGrants(text: string): EgressException[] {
  if (text.length > maxCharacters) throw new Error(`more than ${maxCharacters} characters`);
  const grants = parseEgressAllow(text);
  if (grants.length > maxGrants) throw new Error(`more than ${maxGrants} hosts`);
  const entries = text.split(',');
  return grants.map((grant, index) => {
    const refuse = (why: string) => new Error(`"${entries[index]?.trim()}" ${why}`);
    const isOne = grant.kind === 'name' || grant.block.prefixLength === grant.block.bytes.length * 8;
    if (grant.port === undefined || !isOne)
      throw refuse('must be one host and one port, such as wiki.corp:443');
    if (grant.kind === 'block' && isNeverGranted(grant.block.bytes))
      throw refuse('is an address of the machine or its cloud, which is never granted');
    return { ...grant, isGrant: true };
  });
}

// Where clouds answer with the credentials of the machine.
const never = [
  '169.254.0.0/16',
  '64:ff9b::a9fe:0/112',
  'fe80::/10',
  'fd00:ec2::254/128',
  '100.100.100.200/32',
  '192.0.0.192/32',
].map((block) => parseBlock(block)!);

const isNeverGranted = (bytes: readonly number[]): boolean => never.some((block) => isInBlock(bytes, block));

/** A granted name may resolve to anything, and its owner may be another than the operator. */
export function mayBeGranted(address: string): boolean {
  const bytes = parseAddress(address);
  return bytes !== undefined && !isNeverGranted(bytes);
}

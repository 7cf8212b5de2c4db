// A DNS server of the test's own, over UDP on loopback: answers from a function, so that a name may change its address between
// two look-ups. RFC 1035, as much of it as a stub resolver needs.
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { parseAddress } from '#browser/egress/public-address.ts';

export interface DnsServer {
  /** Asks this server, for addresses of both families. */
  lookup(name: string): Promise<{ address: string }[]>;
  close(): void;
}

const typeA = 1;
const typeAaaa = 28;

/** `addressesOf` is told how often the name was looked up before; undefined: there is no such name. */
export async function startDnsServer(
  addressesOf: (name: string, before: number) => string[] | undefined,
): Promise<DnsServer> {
  const asked = new Map<string, number>();
  const socket = createSocket('udp4', (query, { port, address }) => {
    const { name, type, end } = questionOf(query);
    const before = asked.get(`${name} ${type}`) ?? 0;
    asked.set(`${name} ${type}`, before + 1);
    const addresses = addressesOf(name, before);
    const records = (addresses ?? [])
      .map((text) => Buffer.from(parseAddress(text)!))
      .filter(({ length }) => length === (type === typeA ? 4 : type === typeAaaa ? 16 : -1));
    const head = Buffer.from(query.subarray(0, 12));
    // Answer, recursion available; code 3 when there is no such name.
    head.writeUInt16BE(addresses ? 0x8180 : 0x8183, 2);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt32BE(0, 8);
    const answers = records.map((bytes) => {
      const record = Buffer.alloc(12);
      // The name is that of the question; type, class IN, no time to live.
      record.writeUInt16BE(0xc00c, 0);
      record.writeUInt16BE(type, 2);
      record.writeUInt16BE(1, 4);
      record.writeUInt16BE(bytes.length, 10);
      return Buffer.concat([record, bytes]);
    });
    socket.send(Buffer.concat([head, query.subarray(12, end), ...answers]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return {
    async lookup(name) {
      const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      const addresses = found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
      if (addresses.length === 0)
        throw Object.assign(new Error(`no address of ${name}`), { code: 'ENOTFOUND' });
      return addresses.map((address) => ({ address }));
    },
    close: () => socket.close(),
  };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

// A DNS server for tests, over UDP on loopback: a function gives the answers, so that a name may change its address between two
// look-ups. As much of RFC 1035 as a stub resolver needs.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { parseAddress } from '#core/address.ts';
import { createNames, type Lookup } from '#wall/name-lookup.ts';

export interface DnsServer {
  /** For a resolver's list of servers. */
  address: string;
  /** Looks up as the service does, with this server. */
  lookup: Lookup;
  /** Names that were queried, once per query. */
  asked: string[];
  close(): void;
}

const typeA = 1;
const typeAaaa = 28;

/** The addresses of a name; undefined if the name does not exist. Silent: the query is never answered, for one family or both. */
export type DnsAnswer = string[] | 'silent' | undefined;

/** `answerOf` gets the number of earlier queries for the name. */
export async function startDnsServer(
  answerOf: (name: string, before: number, family: 4 | 6) => DnsAnswer,
): Promise<DnsServer> {
  const asked: string[] = [];
  const counts = new Map<string, number>();
  const socket = createSocket('udp4', (query, { port, address }) => {
    const { name, type, end } = questionOf(query);
    const before = counts.get(`${name} ${type}`) ?? 0;
    counts.set(`${name} ${type}`, before + 1);
    asked.push(name);
    const addresses = answerOf(name, before, type === typeAaaa ? 6 : 4);
    if (addresses === 'silent') return;
    const records = (addresses ?? [])
      .map((text) => Buffer.from(parseAddress(text)!))
      .filter(({ length }) => length === (type === typeA ? 4 : type === typeAaaa ? 16 : -1));
    const head = Buffer.from(query.subarray(0, 12));
    // Response, recursion available; code 3 if the name does not exist.
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
  const server = `127.0.0.1:${socket.address().port}`;
  return {
    address: server,
    lookup: createNames({ servers: [server] }),
    asked,
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

// Lists that clients, pages and servers make longer, each next to the other length that it could be multiplied with: entries and
// those that leave, requests and events, sessions and calls, connections and addresses, messages in one piece.
import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { PassThrough, Writable, type Readable } from 'node:stream';
import { createBoundedMap } from '#core/bounded-map.ts';
import { connectCdp, type CdpSession } from '#browser/process/cdp.ts';
import { readMessages } from '#browser/process/cdp-messages.ts';
import { createTraffic } from '#browser/page/traffic.ts';
import { createWatch } from '#browser/page/time/watch.ts';
import { shareConnections } from '#http/connection/connections.ts';
import { distinctNames } from '#http/zip.ts';
import type { TextCase } from '#lab/prove/parsers/texts.ts';

const times = (count: number, step: (at: number) => void): void => {
  for (let at = 0; at < count; at += 1) step(at);
};

export const listCases: TextCase[] = [
  {
    name: 'files of one name in an archive',
    largest: 1_000,
    unit: 'files',
    parse: (size) => distinctNames(Array.from({ length: size }, () => 'a.png')),
  },
  {
    name: 'a full cache, an entry out for each that comes',
    largest: 80_000,
    unit: 'entries',
    parse(size) {
      const cache = createBoundedMap<number, number>(size);
      times(3 * size, (at) => cache.set(at, at));
    },
  },
  {
    name: 'requests of a page, counted at each event',
    largest: 16_000,
    unit: 'requests',
    parse(size) {
      const { traffic, open, tell } = page();
      const session = open('page');
      times(size, (at) => {
        tell(session, 'requestWillBeSent', {
          requestId: `1.${at}`,
          type: 'Fetch',
          request: { url: 'http://a/' },
        });
        if (traffic.inFlight + traffic.awaited === 0) throw new Error('they are not counted');
      });
      times(size, (at) => {
        tell(session, 'dataReceived', { requestId: `1.${at}` });
        if (traffic.inFlight !== size) throw new Error('they are not counted');
      });
    },
  },
  {
    name: 'frames with requests, all of which go',
    largest: 8_000,
    unit: 'frames',
    parse(size) {
      const { traffic, open, tell } = page();
      const sessions = Array.from({ length: size }, (_, at) => open(`frame ${at}`));
      for (const session of sessions)
        tell(session, 'requestWillBeSent', {
          requestId: '1.1',
          type: 'Image',
          request: { url: 'http://a/' },
        });
      for (const session of sessions) traffic.forget(session);
      if (traffic.inFlight !== 0) throw new Error('they are still counted');
    },
  },
  {
    name: 'frames with unanswered calls, all of which go',
    largest: 4_000,
    unit: 'frames',
    parse(size) {
      const connection = connectCdp(
        new Writable({ write: (_chunk, _encoding, done) => done() }),
        new PassThrough(),
        () => {},
      );
      const { signal } = new AbortController();
      const sessions = Array.from({ length: size }, (_, at) => connection.session(`frame ${at}`));
      for (const session of sessions) session.send('Page.enable', {}, signal).catch(() => {});
      for (const session of sessions) session.forget();
    },
  },
  {
    name: 'connections from as many addresses, at the limit',
    largest: 8_000,
    unit: 'connections',
    parse(size) {
      const server = new EventEmitter();
      shareConnections(server as Server, size);
      times(2 * size, (at) => server.emit('connection', socketFrom(`10.1.${at >> 8}.${at & 255}`)));
    },
  },
  {
    name: 'messages of the browser in one piece',
    largest: 20_000,
    unit: 'messages',
    parse(size) {
      const output = new EventEmitter();
      let seen = 0;
      readMessages(output as Readable, {
        onMessage: () => (seen += 1),
        onTooLarge: () => {},
      });
      output.emit('data', Buffer.from('{"method":"a"}\0'.repeat(size)));
      if (seen !== size) throw new Error('they were not read');
    },
  },
  {
    name: 'a message of the browser in small pieces',
    largest: 400_000,
    parse(size) {
      const output = new EventEmitter();
      let seen = 0;
      readMessages(output as Readable, { onMessage: (text) => (seen += text.length), onTooLarge: () => {} });
      times(size / 10, () => output.emit('data', Buffer.from('aaaaaaaaaa')));
      output.emit('data', Buffer.from('\0'));
      if (seen !== size) throw new Error('it was not read');
    },
  },
];

/** The requests of a page, and sessions that report what they are told. */
function page() {
  const handlers = new Map<CdpSession, Map<string, (params: object) => void>>();
  const traffic = createTraffic(createWatch(), () => {}, { answered() {}, failed() {} });
  return {
    traffic,
    open(id: string): CdpSession {
      const mine = new Map<string, (params: object) => void>();
      const session = {
        id,
        on: (event: string, handler: (params: object) => void) => mine.set(event, handler),
      } as unknown as CdpSession;
      handlers.set(session, mine);
      traffic.follow(session);
      return session;
    },
    tell: (session: CdpSession, event: string, params: object) =>
      handlers.get(session)?.get(`Network.${event}`)?.(params),
  };
}

function socketFrom(remoteAddress: string): EventEmitter {
  const socket = new EventEmitter();
  return Object.assign(socket, { remoteAddress, destroy: () => socket.emit('close') });
}

// A server that fails as told, a clock that stands still until it is turned, and what the tests of the client share.
import { spawnSync } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, type TestContext } from 'node:test';
import type { Clock } from '#client/clock.ts';
import { Tintype } from '#client/index.ts';

interface SeenRequest {
  method: string;
  url: string;
  idempotencyKey: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** Answers one attempt; what it does to the response is the fault. */
export type Fault = (response: ServerResponse, request: SeenRequest) => void | Promise<void>;

export interface FaultServer {
  origin: string;
  seen: SeenRequest[];
  /** The faults of the next attempts, in turn; the last one stays. */
  play(...faults: Fault[]): void;
  stop(): Promise<void>;
}

export async function startFaultServer(): Promise<FaultServer> {
  const seen: SeenRequest[] = [];
  let queue: Fault[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const request = {
        method: incoming.method ?? '',
        url: incoming.url ?? '',
        idempotencyKey: String(incoming.headers['idempotency-key']),
        headers: incoming.headers,
        body: Buffer.concat(chunks),
      };
      seen.push(request);
      const fault = queue.length > 1 ? queue.shift() : queue[0];
      void fault?.(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    play(...faults) {
      seen.length = 0;
      queue = faults;
    },
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const rateHeaders = {
  'x-service-ratelimit-limit': '120',
  'x-service-ratelimit-remaining': '7',
  'x-service-ratelimit-reset': '31',
  'x-request-id': 'req-1',
};

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Fault {
  return (response) => {
    response.writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      ...rateHeaders,
      ...headers,
    });
    response.end(JSON.stringify(body));
  };
}

export const refusal = (status: number, code: string, headers: Record<string, string> = {}): Fault =>
  json(status, { error: { code, message: `told: ${code}` } }, headers);

export const page =
  (status: number): Fault =>
  (response) => {
    response.writeHead(status, { 'content-type': 'text/html' });
    response.end('<h1>Something between us and the service</h1>');
  };

export const picture: Fault = (response) => {
  response.writeHead(200, {
    'content-type': 'image/png',
    'x-service-id': 'cap_1',
    'x-service-duration-ms': '412',
    'x-service-quota-limit': '2000',
    'x-service-quota-remaining': '1999',
    'x-service-quota-usage-percent': '0',
    ...rateHeaders,
  });
  response.end(Buffer.from('picture'));
};

export interface FakeClock extends Clock {
  /** Every wait between attempts, in milliseconds. */
  waits: number[];
  /** Deadlines that were set, and whether they still stand. */
  deadlines: { ms: number; isSet: boolean; expire: () => void }[];
}

/** Waits pass at once and are written down; a deadline passes when the test says so. Chance is one half. */
export function createFakeClock(): FakeClock {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const waits: number[] = [];
  const deadlines: FakeClock['deadlines'] = [];
  return {
    waits,
    deadlines,
    now: () => now,
    random: () => 0.5,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      waits.push(ms);
      now += ms;
    },
    after(ms, action) {
      const deadline = { ms, isSet: true, expire: action };
      deadlines.push(deadline);
      return () => {
        deadline.isSet = false;
      };
    },
  };
}

/** Some tests drive a tool that npm does not bring; where it is missing they say so. */
export function lacks(command: string, context: TestContext, asked = '--version'): boolean {
  if (spawnSync(command, [asked]).status === 0) return false;
  context.skip(`${command} is not on this machine, so this could not be run`);
  return true;
}

/** For a whole test file: a server that fails as told, and before each test a new clock and a client on it. */
export function setUpClient() {
  const set = {} as { server: FaultServer; clock: FakeClock; client: Tintype };
  before(async () => {
    set.server = await startFaultServer();
  });
  after(() => set.server.stop());
  beforeEach(() => {
    set.clock = createFakeClock();
    set.client = new Tintype({ baseUrl: set.server.origin, apiKey: 'tt_secret', clock: set.clock });
    set.server.play(picture);
  });
  return set;
}

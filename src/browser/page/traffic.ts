// What a page has under way: the number of its requests in flight, including those of its frames and workers, and of its workers.
// Settle and network idle are measured with it. WebSockets never count as requests.
import type { Protocol } from 'devtools-protocol';
import type { CdpSession } from '#browser/process/cdp.ts';
import type { Watch } from '#browser/page/watch.ts';

export interface Traffic {
  readonly inFlight: number;
  /** Requests that are still worth waiting for; a long poll is not, because it would never end. */
  readonly awaited: number;
  readonly workers: number;
  /** Counts the requests of this session; those of a child session end with it. */
  follow(session: CdpSession): void;
  forget(session: CdpSession): void;
  workerStarted(): void;
}

interface Flight {
  session: CdpSession;
  startedAt: number;
  answeredAt: number | undefined;
  isPoll: boolean;
}

const frameDocument = 'document ';
const longPollMs = 1_500;
// A longer request has used up the settle time, and is not waited for a second time.
const lostMs = 3_000;
// A response that began and then fell silent: nobody reads it, and it will never be reported as finished.
const silentMs = 5_000;
const pollTypes: ReadonlySet<Protocol.Network.ResourceType> = new Set([
  'Fetch',
  'XHR',
  'EventSource',
  'Ping',
  'Other',
]);

interface Listeners {
  /** Called for every response from the network, including those of frames and workers. */
  onAnswer: (url: string) => void;
  /** Called with the processes that make the requests. */
  onProcess?: ((pid: number) => void) | undefined;
}

export function createTraffic(watch: Watch, { onAnswer, onProcess }: Listeners): Traffic {
  const flights = new Map<string, Flight>();
  let workers = 0;

  function land(key: string): void {
    if (flights.delete(key)) watch.notify();
  }

  return {
    get inFlight() {
      const now = performance.now();
      return count(flights, ({ answeredAt }) => answeredAt === undefined || now - answeredAt < silentMs);
    },
    get awaited() {
      const now = performance.now();
      return count(flights, ({ isPoll, startedAt }) => now - startedAt < (isPoll ? longPollMs : lostMs));
    },
    get workers() {
      return workers;
    },
    workerStarted() {
      workers += 1;
      watch.notify();
    },
    follow(session) {
      const prefix = `${session.id} `;
      // The request for the document of a cross-site frame begins in the session of its parent and ends in its own.
      const keyOf = (requestId: string) =>
        flights.has(prefix + requestId) ? prefix + requestId : frameDocument + requestId;
      session.on('Network.requestWillBeSent', ({ requestId, request, type }) => {
        // Requests of a page process have ids of the form `<process id>.<number>`; a navigation has an id of another form.
        const [, pid] = /^(\d{1,10})\.\d/.exec(requestId) ?? [];
        if (pid !== undefined) onProcess?.(Number(pid));
        if (/^(data|blob):/.test(request.url.slice(0, 5))) return;
        const isPoll = type === undefined || pollTypes.has(type);
        const key = (type === 'Document' ? frameDocument : prefix) + requestId;
        flights.set(key, { session, startedAt: performance.now(), answeredAt: undefined, isPoll });
        watch.notify();
      });
      session.on('Network.responseReceived', ({ requestId, response }) => {
        const flight = flights.get(keyOf(requestId));
        // Both sessions may report it.
        if (!flight || flight.answeredAt !== undefined) return;
        flight.answeredAt = performance.now();
        if (response.fromDiskCache !== true && response.fromServiceWorker !== true) onAnswer(response.url);
      });
      session.on('Network.dataReceived', ({ requestId }) => {
        const flight = flights.get(keyOf(requestId));
        if (flight) flight.answeredAt = performance.now();
      });
      session.on('Network.requestServedFromCache', ({ requestId }) => land(keyOf(requestId)));
      session.on('Network.loadingFinished', ({ requestId }) => land(keyOf(requestId)));
      session.on('Network.loadingFailed', ({ requestId }) => land(keyOf(requestId)));
    },
    forget(session) {
      for (const [key, flight] of flights) if (flight.session === session) land(key);
    },
  };
}

function count(flights: Map<string, Flight>, matches: (flight: Flight) => boolean): number {
  let total = 0;
  for (const flight of flights.values()) if (matches(flight)) total += 1;
  return total;
}

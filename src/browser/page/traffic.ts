// What a page has under way: the number of its requests in flight, including those of its frames and workers, and of its workers.
// Settle and network idle are measured with it. WebSockets never count as requests.
import type { Protocol } from 'devtools-protocol';
import { createByAge } from '#core/by-age.ts';
import type { CdpSession } from '#browser/process/cdp.ts';
import type { FailedRequests, SentRequest } from '#browser/page/failed-requests.ts';
import { longPollMs, lostMs, silentMs } from '#browser/page/time/times.ts';
import type { Watch } from '#browser/page/time/watch.ts';

export interface Traffic {
  readonly inFlight: number;
  /** Requests that are still worth waiting for; a long poll is not, because it would never end. */
  readonly awaited: number;
  /** Whether a request was not awaited to its end that may bring something to see. */
  readonly isUnfinished: boolean;
  readonly workers: number;
  /** Counts the requests of this session; those of a child session end with it. */
  follow(session: CdpSession, child?: { parent: CdpSession; targetId: string }): void;
  forget(session: CdpSession): void;
  workerStarted(): void;
}

interface Flight extends SentRequest {
  key: string;
  session: CdpSession;
  type: Protocol.Network.ResourceType | undefined;
  startedAt: number;
  isAnswered: boolean;
}

const frameDocument = 'document ';
const pollTypes: ReadonlySet<Protocol.Network.ResourceType> = new Set([
  'Fetch',
  'XHR',
  'EventSource',
  'Ping',
  'Other',
]);

const seenTypes: ReadonlySet<Protocol.Network.ResourceType | undefined> = new Set([
  'Document',
  'Stylesheet',
  'Image',
  'Font',
  'Script',
]);
/** Their answers may be streams, which never end. */
const dataTypes: ReadonlySet<Protocol.Network.ResourceType | undefined> = new Set(['Fetch', 'XHR']);

/** `onAnswer` is called for every response from the network, including those of frames and workers. */
export function createTraffic(
  watch: Watch,
  onAnswer: (url: string) => void,
  failures: Pick<FailedRequests, 'answered' | 'failed'>,
): Traffic {
  const flights = createFlights();
  let workers = 0;

  function land(key: string): void {
    if (flights.remove(key)) watch.notify();
  }

  return {
    get inFlight() {
      return flights.inFlight();
    },
    get awaited() {
      return flights.awaited();
    },
    get isUnfinished() {
      return flights.isUnfinished();
    },
    get workers() {
      return workers;
    },
    workerStarted() {
      workers += 1;
      watch.notify();
    },
    follow(session, child) {
      const prefix = `${session.id} `;
      // The requests for the document of a cross-site frame and for the script of a worker, which has the id of the worker, begin in the
      // session of their parent and end in their own.
      const keyOf = (requestId: string) => {
        if (flights.has(prefix + requestId)) return prefix + requestId;
        return (child?.targetId === requestId ? `${child.parent.id} ` : frameDocument) + requestId;
      };
      session.on('Network.requestWillBeSent', ({ requestId, request: { url }, type, frameId }) => {
        if (/^(data|blob):/.test(url.slice(0, 5))) return;
        const isDocument = type === 'Document';
        flights.start({
          key: (isDocument ? frameDocument : prefix) + requestId,
          session,
          url,
          documentOf: isDocument ? frameId : undefined,
          type,
          startedAt: performance.now(),
          isAnswered: false,
        });
        watch.notify();
      });
      session.on('Network.responseReceived', ({ requestId, response }) => {
        const flight = flights.get(keyOf(requestId));
        // Both sessions may report it.
        if (!flight || flight.isAnswered) return;
        flights.answer(flight);
        failures.answered(flight, response);
        if (response.fromDiskCache !== true && response.fromServiceWorker !== true) onAnswer(response.url);
      });
      session.on('Network.dataReceived', ({ requestId }) => {
        const flight = flights.get(keyOf(requestId));
        if (flight) flights.answer(flight);
      });
      session.on('Network.requestServedFromCache', ({ requestId }) => land(keyOf(requestId)));
      session.on('Network.loadingFinished', ({ requestId }) => land(keyOf(requestId)));
      session.on('Network.loadingFailed', (failure) => {
        const key = keyOf(failure.requestId);
        const flight = flights.get(key);
        if (flight) failures.failed(flight, failure);
        land(key);
      });
    },
    forget(session) {
      for (const { key } of flights.of(session)) land(key);
      flights.forget(session);
    },
  };
}

/** The requests that are under way, by what they still need. */
function createFlights() {
  const flights = new Map<string, Flight>();
  const ofSession = new Map<CdpSession, Set<Flight>>();
  // Each event of a page asks how many there are, so they are not counted anew each time.
  const polls = createRecent(longPollMs);
  const others = createRecent(lostMs);
  const answered = createRecent(silentMs);
  let unanswered = 0;

  function remove(key: string): boolean {
    const flight = flights.get(key);
    if (!flight) return false;
    flights.delete(key);
    ofSession.get(flight.session)?.delete(flight);
    for (const recent of [polls, others, answered]) recent.delete(key);
    if (!flight.isAnswered) unanswered -= 1;
    return true;
  }

  function start(flight: Flight): void {
    const { key, session, type } = flight;
    // A redirect has the id of the request that it follows.
    remove(key);
    flights.set(key, flight);
    const mine = ofSession.get(session) ?? new Set();
    ofSession.set(session, mine.add(flight));
    (type === undefined || pollTypes.has(type) ? polls : others).note(key);
    unanswered += 1;
  }

  function answer(flight: Flight): void {
    if (!flight.isAnswered) unanswered -= 1;
    flight.isAnswered = true;
    answered.note(flight.key);
  }

  return {
    start,
    answer,
    remove,
    get: (key: string) => flights.get(key),
    has: (key: string) => flights.has(key),
    of: (session: CdpSession): Iterable<Flight> => ofSession.get(session) ?? [],
    forget: (session: CdpSession) => ofSession.delete(session),
    inFlight: () => unanswered + answered.count(),
    awaited: () => polls.count() + others.count(),
    isUnfinished(): boolean {
      const since = performance.now() - longPollMs;
      return flights
        .values()
        .some(
          ({ type, startedAt, isAnswered }) =>
            startedAt <= since && (seenTypes.has(type) || (dataTypes.has(type) && !isAnswered)),
        );
    },
  };
}

/** Keys that were noted within this time. */
function createRecent(withinMs: number) {
  const notedAt = createByAge<string, number>();
  return {
    note: (key: string) => notedAt.set(key, performance.now()),
    delete: notedAt.delete,
    count(): number {
      const since = performance.now() - withinMs;
      for (let oldest = notedAt.oldest(); oldest && oldest.value <= since; oldest = notedAt.oldest())
        notedAt.delete(oldest.key);
      return notedAt.size;
    },
  };
}

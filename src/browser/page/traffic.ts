// What a page has under way: the number of its requests in flight, including those of its frames and workers, and of its workers.
// Settle and network idle are measured with it. WebSockets never count as requests.
import type { Protocol } from 'devtools-protocol';
import { createByAge } from '#core/by-age.ts';
import type { CdpSession } from '#browser/process/cdp.ts';
import { longPollMs, lostMs, silentMs } from '#browser/page/times.ts';
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
  key: string;
  session: CdpSession;
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

/** `onAnswer` is called for every response from the network, including those of frames and workers. */
export function createTraffic(watch: Watch, onAnswer: (url: string) => void): Traffic {
  const flights = new Map<string, Flight>();
  const ofSession = new Map<CdpSession, Set<Flight>>();
  // Each event of a page asks how many there are, so they are not counted anew each time.
  const polls = createRecent(longPollMs);
  const others = createRecent(lostMs);
  const answered = createRecent(silentMs);
  let unanswered = 0;
  let workers = 0;

  function remove(key: string): boolean {
    const flight = flights.get(key);
    if (!flight) return false;
    flights.delete(key);
    ofSession.get(flight.session)?.delete(flight);
    for (const recent of [polls, others, answered]) recent.delete(key);
    if (!flight.isAnswered) unanswered -= 1;
    return true;
  }

  function start(key: string, session: CdpSession, isPoll: boolean): void {
    // A redirect has the id of the request that it follows.
    remove(key);
    const flight = { key, session, isAnswered: false };
    flights.set(key, flight);
    const mine = ofSession.get(session) ?? new Set();
    ofSession.set(session, mine.add(flight));
    (isPoll ? polls : others).note(key);
    unanswered += 1;
  }

  function answer(flight: Flight): void {
    if (!flight.isAnswered) unanswered -= 1;
    flight.isAnswered = true;
    answered.note(flight.key);
  }

  function land(key: string): void {
    if (remove(key)) watch.notify();
  }

  return {
    get inFlight() {
      return unanswered + answered.count();
    },
    get awaited() {
      return polls.count() + others.count();
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
        if (/^(data|blob):/.test(request.url.slice(0, 5))) return;
        const isPoll = type === undefined || pollTypes.has(type);
        start((type === 'Document' ? frameDocument : prefix) + requestId, session, isPoll);
        watch.notify();
      });
      session.on('Network.responseReceived', ({ requestId, response }) => {
        const flight = flights.get(keyOf(requestId));
        // Both sessions may report it.
        if (!flight || flight.isAnswered) return;
        answer(flight);
        if (response.fromDiskCache !== true && response.fromServiceWorker !== true) onAnswer(response.url);
      });
      session.on('Network.dataReceived', ({ requestId }) => {
        const flight = flights.get(keyOf(requestId));
        if (flight) answer(flight);
      });
      session.on('Network.requestServedFromCache', ({ requestId }) => land(keyOf(requestId)));
      session.on('Network.loadingFinished', ({ requestId }) => land(keyOf(requestId)));
      session.on('Network.loadingFailed', ({ requestId }) => land(keyOf(requestId)));
    },
    forget(session) {
      for (const { key } of ofSession.get(session) ?? []) land(key);
      ofSession.delete(session);
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

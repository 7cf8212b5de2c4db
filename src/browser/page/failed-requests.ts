// The requests of a page that failed, except those for its main document: not answered, or answered with an error. Whether an address
// was refused here, did not resolve or was closed cannot be told from this, so no page is a port scanner.
import type { Protocol } from 'devtools-protocol';
import type { Door } from '#wall/door.ts';
import type { FailureClassifier } from '#browser/page/main-frame.ts';

export interface FailedRequest {
  url: string;
  /** Null if there was no answer. */
  status: number | null;
  /** The client wants it blocked. */
  isBlocked: boolean;
}

export interface FailedRequests {
  /** One for each address. */
  all(): FailedRequest[];
  answered(request: SentRequest, response: Protocol.Network.Response): void;
  failed(request: SentRequest, failure: Protocol.Network.LoadingFailedEvent): void;
}

export interface SentRequest {
  url: string;
  /** The frame whose document it is, if it is one. */
  documentOf: string | undefined;
}

// More than a receipt has.
const maxKept = 100;

export function createFailedRequests(
  mainFrameId: string,
  failures: FailureClassifier,
  door: Pick<Door, 'refusalOf'>,
): FailedRequests {
  const isBlocked = (url: string) => door.refusalOf(url)?.kind === 'blocked';
  const kept = new Map<string, FailedRequest>();

  function keep(request: FailedRequest): void {
    if (kept.size < maxKept && !kept.has(request.url)) kept.set(request.url, request);
  }

  return {
    all: () => [...kept.values()],
    answered({ url, documentOf }, response) {
      if (response.status < 400 || documentOf === mainFrameId) return;
      const isRefused = failures.ofAnswer(response.headers, response.url) !== undefined;
      keep({ url, status: isRefused ? null : response.status, isBlocked: isRefused && isBlocked(url) });
    },
    failed({ url, documentOf }, { canceled = false, errorText, blockedReason }) {
      // The page itself has given it up.
      if (canceled || errorText === 'net::ERR_ABORTED' || documentOf === mainFrameId) return;
      keep({ url, status: null, isBlocked: blockedReason === 'inspector' || isBlocked(url) });
    },
  };
}

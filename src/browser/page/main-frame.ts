// The state of the main frame: which document it shows, how far it has loaded, where it is navigating, and whether it ended at an
// address that gives no picture (denied, unreachable).
import type { CdpSession } from '#browser/process/cdp.ts';
import type { RenderFailure } from '#browser/browser.ts';
import { navigationRequestMs } from '#browser/page/time/times.ts';
import type { Watch } from '#browser/page/time/watch.ts';

export interface MainFrame {
  readonly loaded: boolean;
  readonly domReady: boolean;
  /** Navigating to another document that has not arrived yet. */
  readonly leaving: boolean;
  /** The server has answered with that document, and the browser has yet to show it. */
  readonly arriving: boolean;
  /** Documents seen so far. */
  readonly documents: number;
  /** With which the document was answered; null if it was not requested from a server. */
  readonly status: number | null;
  /** The frame ended where there is nothing to show; a later good document does not change that. */
  readonly failure: RenderFailure | undefined;
}

/** Classifies failures; gets the network's error text, or the headers of a response. */
export interface FailureClassifier {
  ofError(errorText: string, url: string): RenderFailure | undefined;
  ofAnswer(headers: Record<string, string>, url: string): RenderFailure | undefined;
}

/** Other schemes leave the page for another program, or go nowhere. */
const isSite = (url: string): boolean => /^https?:/i.test(url);

export function followMainFrame(
  session: CdpSession,
  frameId: string,
  failures: FailureClassifier,
  watch: Watch,
): MainFrame {
  /** By document. `failure`: why a response gives no picture; undefined if it does. */
  const answers = new Map<string, { status: number; failure: RenderFailure | undefined }>();
  const errors = new Map<string, string>();
  const state = {
    loaded: false,
    domReady: false,
    documents: 0,
    status: null as number | null,
    failure: undefined as RenderFailure | undefined,
    get leaving() {
      return nextLoaderId !== undefined || isRequested();
    },
    get arriving() {
      return nextLoaderId !== undefined && answers.has(nextLoaderId);
    },
  };
  let nextLoaderId: string | undefined;
  // The page has asked to navigate, and the request for the next document is not known yet. This is reported before the load
  // event of the page that asked; one that does not follow soon does not come.
  let requestedUntil = 0;
  const isRequested = () => performance.now() < requestedUntil;
  const request = (url: string) => {
    if (!isSite(url)) return;
    requestedUntil = performance.now() + navigationRequestMs;
    setTimeout(watch.notify, navigationRequestMs).unref();
    watch.notify();
  };
  session.on('Page.frameRequestedNavigation', ({ frameId: of, disposition, url }) => {
    if (of === frameId && disposition === 'currentTab') request(url);
  });
  // A form submission or a refresh.
  session.on('Page.frameScheduledNavigation', ({ frameId: of, delay, url }) => {
    if (of === frameId && delay === 0) request(url);
  });
  session.on('Page.navigatedWithinDocument', ({ frameId: of }) => {
    if (of === frameId) requestedUntil = 0;
    watch.notify();
  });

  session.on('Network.requestWillBeSent', ({ type, frameId: of, loaderId, requestId }) => {
    if (type !== 'Document' || of !== frameId || requestId !== loaderId) return;
    nextLoaderId = loaderId;
    requestedUntil = 0;
    watch.notify();
  });
  session.on('Network.responseReceived', ({ type, frameId: of, loaderId, response }) => {
    if (type !== 'Document' || of !== frameId) return;
    const { status, headers, url } = response;
    answers.set(loaderId, { status, failure: failures.ofAnswer(headers, url) });
    watch.notify();
  });
  session.on('Network.loadingFailed', ({ requestId, errorText }) => {
    if (requestId !== nextLoaderId) return;
    errors.set(requestId, errorText);
    // A download or an empty response: the frame stays where it is.
    if (errorText === 'net::ERR_ABORTED') nextLoaderId = undefined;
    watch.notify();
  });
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.parentId !== undefined || frame.id !== frameId) return;
    const answer = answers.get(frame.loaderId);
    const unreachable =
      frame.unreachableUrl === undefined
        ? undefined
        : failures.ofError(errors.get(frame.loaderId) ?? '', frame.unreachableUrl);
    if (frame.loaderId === nextLoaderId) nextLoaderId = undefined;
    requestedUntil = 0;
    answers.clear();
    errors.clear();
    state.documents += 1;
    state.loaded = false;
    state.domReady = false;
    state.status = answer?.status ?? null;
    state.failure ??= answer?.failure ?? unreachable;
    watch.notify();
  });
  session.on('Page.domContentEventFired', () => {
    state.domReady = true;
    watch.notify();
  });
  const finish = () => {
    state.domReady = true;
    state.loaded = true;
    watch.notify();
  };
  session.on('Page.loadEventFired', finish);
  session.on('Page.frameStoppedLoading', ({ frameId: of }) => {
    // A document that stops its own loading (`window.stop`, a link to another program, a download) has no load event.
    if (of === frameId && state.documents > 0 && nextLoaderId === undefined && !isRequested()) finish();
  });

  return state;
}

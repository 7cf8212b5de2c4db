// Who makes a request: the caller's own origin, or a third party inside the page or after it. Decides who sends the secrets of the caller.
// v2 2 (access).
import type { Protocol } from 'devtools-protocol';
import type { CdpSession } from '#browser/process/cdp.ts';

export interface Askers {
  /** Whether the caller's own origin makes this request, and no other origin has redirected it. */
  isOwn(request: Pick<Protocol.Fetch.RequestPausedEvent, 'frameId' | 'networkId' | 'resourceType'>): boolean;
  /** Whether every document of the main frame so far was of the caller's own origin. */
  readonly isOwnPage: boolean;
  /** Follows the requests of a worker of the page too. */
  follow(worker: CdpSession): void;
}

interface Frame {
  parent: Frame | null;
  /** The request for its first document. */
  firstRequestId: string | undefined;
  /** Every document so far was of the own origin, or took its origin from the frame around it. */
  isOwn: boolean;
}

/** For the frames of this session; those with a process of their own, and all inside them, are of other sites. */
export function followAskers(
  session: CdpSession,
  mainFrameId: string,
  isOwn: (url: string) => boolean,
): Askers {
  const main: Frame = { parent: null, firstRequestId: undefined, isOwn: true };
  const frames = new Map([[mainFrameId, main]]);
  /** Frames by the request for the script of a worker, which is paused under another id than that of the frame. */
  const ofWorkers = new Map<string, Frame>();
  /** Requests that were another origin's, at least for a while: from then on, it says where they go. */
  const strayed = new Set<string>();

  session.on('Page.frameAttached', ({ frameId, parentFrameId }) => {
    const parent = frames.get(parentFrameId);
    if (parent) frames.set(frameId, { parent, firstRequestId: undefined, isOwn: true });
  });
  session.on('Page.frameDetached', ({ frameId, reason }) => {
    if (reason === 'remove') frames.delete(frameId);
  });
  // The browser reports a document that a frame asks for before it pauses the requests of that document. That the frame shows it, it
  // reports at times after them.
  session.on('Network.requestWillBeSent', ({ type, requestId, frameId = '', loaderId, request: { url } }) => {
    const frame = frames.get(frameId);
    if (!frame) return;
    if (type === 'Document') {
      frame.firstRequestId ??= requestId;
      // For good: what was loaded at its wish may still ask, and it may have chosen what the frame shows next.
      if (!isOwn(url)) frame.isOwn = false;
    } else if (loaderId === '') ofWorkers.set(requestId, frame);
  });
  follow(session);

  function follow(of: CdpSession): void {
    of.on('Network.requestWillBeSent', ({ requestId, request: { url } }) => {
      if (/^https?:/i.test(url) && !isOwn(url)) strayed.add(requestId);
    });
  }

  return {
    isOwn({ frameId, networkId = '', resourceType }) {
      const frame = frames.get(frameId) ?? ofWorkers.get(networkId);
      if (!frame || strayed.has(networkId) || !isOwnWithin(frame)) return false;
      // A later document may be opened by any frame inside, or by a page that it has just left.
      return resourceType !== 'Document' || networkId === frame.firstRequestId;
    },
    get isOwnPage() {
      return main.isOwn;
    },
    follow,
  };
}

function isOwnWithin(frame: Frame): boolean {
  for (let around: Frame | null = frame; around; around = around.parent) if (!around.isOwn) return false;
  return true;
}

// The debugging sessions of one page: its own and those of its cross-site frames and workers. They are followed as they come and
// go, so that their requests count and their dialogs are answered.
import type { Protocol } from 'devtools-protocol';
import type { CdpConnection, CdpSession } from '#browser/process/cdp.ts';
import type { Traffic } from '#browser/page/traffic.ts';
import type { VirtualClock } from '#browser/page/time/virtual-clock.ts';

export interface PageSessions {
  /** Frames with their own process, by id. */
  readonly frames: ReadonlyMap<string, CdpSession>;
  /** Called with each cross-site frame and worker that appears, before it runs. */
  prepareChildren(prepare: PrepareChild): void;
  forget(): void;
}

type PrepareChild = (child: CdpSession, target: Protocol.Target.TargetInfo) => void;

interface Followers {
  traffic: Traffic;
  clock: VirtualClock;
}

/** Resolves when the page's own session is ready; child sessions are prepared as they appear. */
export async function followSessions(
  connection: CdpConnection,
  page: CdpSession,
  { traffic, clock }: Followers,
  signal: AbortSignal,
): Promise<PageSessions> {
  const children = new Map<string, { child: CdpSession; targetId: string }>();
  const frames = new Map<string, CdpSession>();
  const preparations: PrepareChild[] = [];

  function follow(session: CdpSession): void {
    session.on('Page.javascriptDialogOpening', ({ type }) => {
      // A page that is asked to leave may not refuse; every other dialog is answered as if it had been closed.
      ignore(session.send('Page.handleJavaScriptDialog', { accept: type === 'beforeunload' }));
    });
    session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      const child = connection.session(sessionId);
      children.set(sessionId, { child, targetId: targetInfo.targetId });
      const isFrame = targetInfo.type === 'iframe';
      if (isFrame) {
        clock.join(child);
        frames.set(targetInfo.targetId, child);
      } else traffic.workerStarted();
      traffic.follow(child, { parent: session, targetId: targetInfo.targetId });
      follow(child);
      for (const sent of enable(child, isFrame)) ignore(sent);
      for (const prepare of preparations) prepare(child, targetInfo);
      ignore(child.send('Runtime.runIfWaitingForDebugger', undefined));
    });
    session.on('Target.detachedFromTarget', ({ sessionId }) => {
      const { child, targetId } = children.get(sessionId) ?? {};
      if (!child || targetId === undefined) return;
      children.delete(sessionId);
      if (frames.get(targetId) === child) frames.delete(targetId);
      clock.leave(child);
      traffic.forget(child);
      child.forget();
    });
  }

  traffic.follow(page);
  follow(page);
  clock.join(page);
  await Promise.all(enable(page, true, signal));
  return {
    frames,
    prepareChildren(prepare) {
      preparations.push(prepare);
    },
    forget() {
      for (const { child } of children.values()) child.forget();
      page.forget();
    },
  };
}

function enable(session: CdpSession, hasPage: boolean, signal?: AbortSignal): Promise<unknown>[] {
  return [
    ...(hasPage ? [session.send('Page.enable', {}, signal)] : []),
    // No response body is ever requested, so none is kept.
    session.send('Network.enable', { maxTotalBufferSize: 1, maxResourceBufferSize: 1 }, signal),
    session.send(
      'Target.setAutoAttach',
      { autoAttach: true, waitForDebuggerOnStart: true, flatten: true },
      signal,
    ),
  ];
}

/** For commands to a target that may be gone before it answers. */
export function ignore(sent: Promise<unknown>): void {
  sent.catch(() => {});
}

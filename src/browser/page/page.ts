// One page in its own browser context, with its own door to the web: opened in advance, used for one render, always discarded.
import { RenderFailure } from '#browser/browser.ts';
import type { CdpSession } from '#browser/process/cdp.ts';
import { proxyBypassList } from '#browser/process/chromium-flags.ts';
import type { ChromiumProcess } from '#browser/process/chromium-process.ts';
import { tooBusy } from '#browser/process/browser-watch.ts';
import type { Door } from '#browser/egress/door.ts';
import { createFailureClassifier } from '#browser/page/load-failure.ts';
import { followMainFrame } from '#browser/page/main-frame.ts';
import type { FailureClassifier, MainFrame } from '#browser/page/main-frame.ts';
import { followSessions, ignore } from '#browser/page/page-sessions.ts';
import type { PageSessions } from '#browser/page/page-sessions.ts';
import { refusePasswordPrompts } from '#browser/page/password-prompt.ts';
import { createTraffic } from '#browser/page/traffic.ts';
import type { Traffic } from '#browser/page/traffic.ts';
import { createVirtualClock } from '#browser/page/virtual-clock.ts';
import type { VirtualClock } from '#browser/page/virtual-clock.ts';
import { createWatch } from '#browser/page/watch.ts';
import type { Watch } from '#browser/page/watch.ts';

export interface Viewport {
  width: number;
  height: number;
}

export interface Page {
  readonly session: CdpSession;
  readonly frameId: string;
  readonly door: Door;
  readonly failures: FailureClassifier;
  readonly mainFrame: MainFrame;
  readonly traffic: Traffic;
  /** Notified by both. */
  readonly changes: Watch;
  readonly clock: VirtualClock;
  /** Cross-site frames, by id. */
  readonly frames: PageSessions['frames'];
  /** True if the browser animates something in the page, or did. */
  readonly isAnimated: boolean;
  /** Aborts with a RenderFailure if the page crashes or its browser is lost. */
  readonly fault: AbortSignal;
  /** Sent before the next command; its answer is not awaited. */
  resize(viewport: Viewport): void;
  /** Discards the context with everything in it. Rejects if the browser does not do so in time. */
  dispose(signal: AbortSignal): Promise<void>;
}

export interface PageOptions {
  process: ChromiumProcess;
  door: Door;
  viewport: Viewport;
  /** Called when a process of the page has died. Returns why we ended it; undefined if we did not. */
  whyEnded?: () => string | undefined;
  /** Called with the processes that work for the page, as its requests name them. */
  onProcess?: (pid: number) => void;
}

// No window is ever opened, but each attempt takes the browser process 5 ms.
const mostWindows = 20;

export async function openPage(options: PageOptions, signal: AbortSignal): Promise<Page> {
  const { process, door } = options;
  const { root } = process.connection;
  const { browserContextId } = await root.send(
    'Target.createBrowserContext',
    { proxyServer: `http://127.0.0.1:${door.port}`, proxyBypassList, disposeOnDetach: true },
    signal,
  );
  try {
    const [{ targetId }] = await Promise.all([
      root.send('Target.createTarget', { url: 'about:blank', browserContextId, ...options.viewport }, signal),
      root.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId }, signal),
    ]);
    const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true }, signal);
    const session = process.connection.session(sessionId);
    const fault = watchForFaults(session, options, () => mainFrame.documents > 0);
    const failures = createFailureClassifier(door);
    // The main frame has the id of its target.
    const changes = createWatch();
    const mainFrame = followMainFrame(session, targetId, failures, changes);
    const traffic = createTraffic(changes, { onAnswer: door.countAnswer, onProcess: options.onProcess });
    const clock = createVirtualClock(session, changes, fault.signal, fault.watchers.onStuck);
    let isAnimated = false;
    session.on('Animation.animationCreated', () => (isAnimated = true));
    let viewport = options.viewport;
    const [sessions] = await Promise.all([
      followSessions(process.connection, session, { traffic, clock, ...fault.watchers }, signal),
      ...(process.kind === 'full' ? [refusePasswordPrompts(session, signal)] : []),
      session.send('Animation.enable', undefined, signal),
      session.send('Performance.enable', {}, signal),
      session.send('Emulation.setDeviceMetricsOverride', metricsOf(viewport), signal),
    ]);
    return {
      session,
      frameId: targetId,
      door,
      failures,
      mainFrame,
      traffic,
      changes,
      clock,
      frames: sessions.frames,
      get isAnimated() {
        return isAnimated;
      },
      fault: fault.signal,
      resize(wanted) {
        if (wanted.width === viewport.width && wanted.height === viewport.height) return;
        viewport = wanted;
        ignore(session.send('Emulation.setDeviceMetricsOverride', metricsOf(wanted)));
      },
      async dispose(until) {
        clock.stop();
        fault.end();
        sessions.forget();
        await root.send('Target.disposeBrowserContext', { browserContextId }, until);
      },
    };
  } catch (error) {
    ignore(root.send('Target.disposeBrowserContext', { browserContextId }));
    throw error;
  }
}

function watchForFaults(
  session: CdpSession,
  { process, door, whyEnded }: PageOptions,
  isUsed: () => boolean,
) {
  const controller = new AbortController();
  door.overdrawn.addEventListener('abort', () => end('the page exceeded the request limit of a render'));
  const retry = (why: string) => controller.abort(new RenderFailure('crashed', why, { browserLost: true }));
  const lost = () => retry(whyEnded?.() ?? 'the browser was lost during the render');
  if (process.gone.aborted) lost();
  process.gone.addEventListener('abort', lost, { once: true });
  session.on('Inspector.targetCrashed', () => {
    // If a process died before it showed any page, the page did not cause it.
    const crashed = () => new RenderFailure('crashed', 'the page crashed', { browserLost: !isUsed() });
    endIfStruck();
    controller.abort(crashed());
  });
  const end = (why: string) => controller.abort(new RenderFailure('too_large', why));
  let windows = 0;
  function endIfStruck(): void {
    const why = whyEnded?.();
    // In its own browser it delays nobody.
    if (why === tooBusy) retry(why);
    else if (why !== undefined) end(why);
  }
  return {
    signal: controller.signal,
    watchers: {
      /** A frame or worker of the page crashed. The page continues without it, unless we ended it for what it did. */
      onCrash: endIfStruck,
      onWindow() {
        windows += 1;
        if (windows > mostWindows) end(`the page tried to open more than ${mostWindows} windows`);
      },
      onFlood: () => end(tooBusy),
      onStuck: () =>
        controller.abort(
          new RenderFailure('timed_out', 'a script of the page does not end', { worksInRealTime: true }),
        ),
    },
    end: () => process.gone.removeEventListener('abort', lost),
  };
}

function metricsOf({ width, height }: Viewport) {
  return { width, height, deviceScaleFactor: 1, mobile: false };
}

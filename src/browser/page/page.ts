// One page in its own browser context, with its own door to the web: opened in advance, used for one render, always discarded.
import { isDeepStrictEqual } from 'node:util';
import type { Door } from '#wall/door.ts';
import { RenderFailure } from '#browser/browser.ts';
import type { CdpSession } from '#browser/process/cdp.ts';
import { proxyBypassList } from '#browser/process/chromium-flags.ts';
import type { ChromiumProcess } from '#browser/process/chromium-process.ts';
import type { View, Viewport } from '#browser/job.ts';
import { createFailedRequests, type FailedRequests } from '#browser/page/failed-requests.ts';
import { createFailureClassifier } from '#browser/page/load-failure.ts';
import { followMainFrame } from '#browser/page/main-frame.ts';
import type { FailureClassifier, MainFrame } from '#browser/page/main-frame.ts';
import { followSessions, ignore } from '#browser/page/page-sessions.ts';
import type { PageSessions } from '#browser/page/page-sessions.ts';
import { createTraffic } from '#browser/page/traffic.ts';
import type { Traffic } from '#browser/page/traffic.ts';
import { createVirtualClock } from '#browser/page/time/virtual-clock.ts';
import type { VirtualClock } from '#browser/page/time/virtual-clock.ts';
import { createWatch } from '#browser/page/time/watch.ts';
import type { Watch } from '#browser/page/time/watch.ts';

export interface Page {
  readonly session: CdpSession;
  readonly frameId: string;
  readonly door: Door;
  readonly failures: FailureClassifier;
  readonly mainFrame: MainFrame;
  readonly traffic: Traffic;
  readonly failedRequests: FailedRequests;
  /** Notified by both. */
  readonly changes: Watch;
  readonly clock: VirtualClock;
  /** Cross-site frames, by id. */
  readonly frames: PageSessions['frames'];
  readonly prepareChildren: PageSessions['prepareChildren'];
  /** A full Chromium fails where a password is asked for; headless-shell shows what the site shows to a reader without one. */
  readonly promptsForPasswords: boolean;
  /** True if the browser animates something in the page, or did. */
  readonly isAnimated: boolean;
  /** Aborts with a RenderFailure if the page crashes or its browser is lost. */
  readonly fault: AbortSignal;
  /** Sent before the next command; its answer is not awaited. */
  resize(screen: Screen): void;
  allowGeolocation(): Promise<void>;
  /** Discards the context with everything in it. Rejects if the browser does not do so in time. */
  dispose(signal: AbortSignal): Promise<void>;
}

type Screen = Viewport & Partial<Pick<View, 'pixelRatio' | 'mobile'>>;

export interface PageOptions {
  process: ChromiumProcess;
  door: Door;
  viewport: Viewport;
}

/** headless-shell has a pointer at the start of its screen: the page at its window's start would be shown as hovered. */
const besidePointer = { left: 1, top: 1 };

export async function openPage(options: PageOptions, signal: AbortSignal): Promise<Page> {
  const { process, door } = options;
  const { root } = process.connection;
  const { browserContextId } = await root.send(
    'Target.createBrowserContext',
    { proxyServer: `http://${door.host}:${door.port}`, proxyBypassList, disposeOnDetach: true },
    signal,
  );
  try {
    const [{ targetId }] = await Promise.all([
      root.send(
        'Target.createTarget',
        { url: 'about:blank', browserContextId, ...besidePointer, ...options.viewport },
        signal,
      ),
      root.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId }, signal),
    ]);
    const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true }, signal);
    const session = process.connection.session(sessionId);
    const fault = watchForFaults(targetId, options, () => mainFrame.documents > 0);
    const failures = createFailureClassifier(door);
    // The main frame has the id of its target.
    const changes = createWatch();
    const mainFrame = followMainFrame(session, targetId, failures, changes);
    const failedRequests = createFailedRequests(targetId, failures, door);
    const traffic = createTraffic(changes, door.countAnswer, failedRequests);
    const clock = createVirtualClock(session, changes, fault.signal, fault.onStuck);
    let isAnimated = false;
    session.on('Animation.animationCreated', () => (isAnimated = true));
    let metrics = metricsOf(options.viewport);
    const [sessions] = await Promise.all([
      followSessions(process.connection, session, { traffic, clock }, signal),
      session.send('Animation.enable', undefined, signal),
      session.send('Performance.enable', {}, signal),
      session.send('Emulation.setDeviceMetricsOverride', metrics, signal),
    ]);
    return {
      session,
      frameId: targetId,
      door,
      failures,
      mainFrame,
      traffic,
      failedRequests,
      changes,
      clock,
      frames: sessions.frames,
      prepareChildren: sessions.prepareChildren,
      promptsForPasswords: process.kind === 'full',
      get isAnimated() {
        return isAnimated;
      },
      fault: fault.signal,
      resize(screen) {
        const wanted = metricsOf(screen);
        if (isDeepStrictEqual(wanted, metrics)) return;
        metrics = wanted;
        ignore(session.send('Emulation.setDeviceMetricsOverride', wanted));
      },
      allowGeolocation() {
        return root.send('Browser.grantPermissions', { permissions: ['geolocation'], browserContextId });
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

function watchForFaults(targetId: string, { process, door }: PageOptions, isUsed: () => boolean) {
  const controller = new AbortController();
  const fail = (...failure: ConstructorParameters<typeof RenderFailure>) =>
    controller.abort(new RenderFailure(...failure));
  const lost = () => fail('crashed', 'the browser was lost during the render', { browserLost: true });
  if (process.gone.aborted) lost();
  process.gone.addEventListener('abort', lost, { once: true });
  door.overdrawn.addEventListener('abort', () =>
    fail('too_large', 'the page exceeded the request limit of a render'),
  );
  const ignoreCrash = process.onCrash(targetId, ({ isEndedByBrowser }) => {
    // If a process died before it showed any page, the page did not cause it.
    if (isEndedByBrowser) fail('crashed', 'the browser ended the process of the page', { browserLost: true });
    else fail('crashed', 'the page crashed', { browserLost: !isUsed() });
  });
  return {
    signal: controller.signal,
    onStuck: () => fail('timed_out', 'a script of the page does not end', { worksInRealTime: true }),
    end() {
      ignoreCrash();
      process.gone.removeEventListener('abort', lost);
    },
  };
}

function metricsOf({ width, height, pixelRatio = 1, mobile = false }: Screen) {
  const isUpright = height >= width;
  return {
    width,
    height,
    deviceScaleFactor: pixelRatio,
    mobile,
    ...(mobile && {
      screenWidth: width,
      screenHeight: height,
      screenOrientation: isUpright
        ? { type: 'portraitPrimary' as const, angle: 0 }
        : { type: 'landscapePrimary' as const, angle: 90 },
    }),
  };
}

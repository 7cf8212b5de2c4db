// The arguments that Chromium is started with. Every line is there for safety or for equal results, except two that are there for
// speed and say so.
import { statfsSync } from 'node:fs';
import { doorHost } from '#wall/door.ts';
import type { Chromium } from '#browser/install/chromium.ts';

export interface FlagOptions {
  kind: Chromium['kind'];
  userDataFolder: string;
  sandboxed: boolean;
}

export function chromiumFlags({ kind, userDataFolder, sandboxed }: FlagOptions): string[] {
  return [
    // A full Chromium ignores --block-new-web-contents; its own popup blocker is used instead.
    kind === 'full' ? '--headless' : '--disable-popup-blocking',
    ...(sandboxed ? [] : ['--no-sandbox']),
    '--remote-debugging-pipe',
    `--user-data-dir=${userDataFolder}`,
    ...wall,
    ...quiet,
    ...sameness,
    // Slower, because files on the disk then replace shared memory; but a page that fills the small shared memory of a container
    // crashes.
    ...(hasSharedMemory() ? [] : ['--disable-dev-shm-usage']),
    'about:blank',
  ];
}

// The resolver rules make this name unresolvable, so a context without its own door cannot reach the network at all.
export const deadEndProxy = 'http://no-way-out.invalid:1';
// Without this entry, traffic to loopback bypasses the proxy.
export const proxyBypassList = '<-loopback>';

const wall = [
  `--proxy-server=${deadEndProxy}`,
  `--proxy-bypass-list=${proxyBypassList}`,
  `--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE ${doorHost}`,
  '--disable-quic',
  // headless-shell obeys the first of these, a full Chromium the second; each ignores the other silently.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--site-per-process',
  // Popups would be drawn without ever being captured.
  '--block-new-web-contents',
];

// Every page in use holds tens of megabytes, a tall one hundreds during its capture.
const sharedMemoryBytes = 2 * 1024 ** 3;

function hasSharedMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize >= sharedMemoryBytes;
  } catch {
    return false;
  }
}

const quiet = [
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-client-side-phishing-detection',
  '--disable-component-update',
  '--disable-component-extensions-with-background-pages',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-field-trial-config',
  '--disable-sync',
  // Errors and warnings, but nothing that a page writes to its console: the service reads some of these lines.
  '--enable-logging=stderr',
  '--log-level=1',
  '--disable-features=AutofillServerCommunication,CertificateTransparencyComponentUpdater,DialMediaRouteProvider,GlobalMediaControls,InterestFeedContentSuggestions,MediaRouter,OptimizationHints,PaintHolding,Translate,' +
    // For speed: with a process per site, each context would start a spare renderer that is never used.
    'SpareRendererForSitePerProcess,' +
    // It asks for a permission before a page loads from a private address, which the egress proxy decides. The question may come before the
    // document, and Chromium then ends the process of the page.
    'LocalNetworkAccessChecks',
  '--metrics-recording-only',
  '--no-default-browser-check',
  '--no-first-run',
  '--no-pings',
  '--no-service-autorun',
  '--password-store=basic',
  '--use-mock-keychain',
];

const sameness = [
  // Renders run at the same time and none is in the foreground, so none may be throttled for being in the background.
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--disable-hang-monitor',
  '--disable-prompt-on-repost',
  '--font-render-hinting=none',
  '--force-color-profile=srgb',
  '--hide-scrollbars',
  // Draws the document outside the viewport too, so that a full page can be captured as it is. The protocol's own option
  // (captureBeyondViewport) first sets the page's viewport to 1 x 1 px: scripts, media queries and transitions react to it.
  '--blink-settings=mainFrameClipsContent=false',
  // Chromium runs some animations, and scrolls smoothly, outside the page and in real time. They would not follow the page's clock:
  // one fade-in in a hundred would stay at its first frame.
  '--disable-threaded-animation',
  '--disable-smooth-scrolling',
  '--mute-audio',
  '--lang=en-US',
];

// The arguments that Chromium is started with. Every line is there for
// a reason of safety or sameness, but for two that are there for speed and say so.
import { statfsSync } from 'node:fs';
import type { Chromium } from '#browser/process/find-chromium.ts';

export interface FlagOptions {
  kind: Chromium['kind'];
  userDataFolder: string;
  sandboxed: boolean;
}

export function chromiumFlags({ kind, userDataFolder, sandboxed }: FlagOptions): string[] {
  return [
    // A full Chromium does not obey --block-new-web-contents: there its own blocker of popups does the work.
    kind === 'full' ? '--headless' : '--disable-popup-blocking',
    ...(sandboxed ? [] : ['--no-sandbox']),
    '--remote-debugging-pipe',
    `--user-data-dir=${userDataFolder}`,
    ...wall,
    ...quiet,
    ...sameness,
    // Slower, as files on the disk then stand in for shared memory; but a page that fills the little that a container has crashes.
    ...(hasSharedMemory() ? [] : ['--disable-dev-shm-usage']),
    'about:blank',
  ];
}

// A name that the resolver rules make unfindable: a context that was given no door of its own has no way out at all.
export const deadEndProxy = 'http://no-way-out.invalid:1';
// Without this entry everything to loopback goes round the proxy.
export const proxyBypassList = '<-loopback>';

const wall = [
  `--proxy-server=${deadEndProxy}`,
  `--proxy-bypass-list=${proxyBypassList}`,
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--disable-quic',
  // headless-shell obeys the first of these, a full Chromium the second; the other is ignored without a word.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--site-per-process',
  // Popups would be drawn for nobody.
  '--block-new-web-contents',
];

// Every page at work holds tens of megabytes, a tall one in capture hundreds.
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
  '--disable-features=AutofillServerCommunication,CertificateTransparencyComponentUpdater,DialMediaRouteProvider,GlobalMediaControls,InterestFeedContentSuggestions,MediaRouter,OptimizationHints,PaintHolding,Translate,' +
    // For speed: with every site in a process of its own, each context would start a second one to have in reserve, for naught.
    'SpareRendererForSitePerProcess',
  '--metrics-recording-only',
  '--no-default-browser-check',
  '--no-first-run',
  '--no-pings',
  '--no-service-autorun',
  '--password-store=basic',
  '--use-mock-keychain',
];

const sameness = [
  // Renders run side by side and none is in front: none may be slowed for it.
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--disable-hang-monitor',
  '--disable-prompt-on-repost',
  '--font-render-hinting=none',
  '--force-color-profile=srgb',
  '--hide-scrollbars',
  // Draws the document beyond the viewport too, so that a full page can be captured as it stands. The protocol's own way
  // (captureBeyondViewport) shows the page a viewport of 1 x 1 px first: scripts, media queries and transitions react to it.
  '--blink-settings=mainFrameClipsContent=false',
  '--mute-audio',
  '--lang=en-US',
];

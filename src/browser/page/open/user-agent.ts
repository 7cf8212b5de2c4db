// Says which browser and language a page is requested with. The client hints say the same as the user agent.
import type { Protocol } from 'devtools-protocol';
import { plainView, type View } from '#browser/job.ts';

type Agent = Protocol.Emulation.SetUserAgentOverrideRequest;

/** An empty user agent leaves the browser's own. */
export function agentOf({ userAgent, locale, mobile }: View): Agent {
  return {
    userAgent: userAgent ?? '',
    // Without a language of the request, none is sent.
    ...(locale !== plainView.locale && { acceptLanguage: languagesOf(locale) }),
    ...(userAgent !== null && hintsOf(userAgent, mobile)),
  };
}

/** `de-AT` is also `de`. The browser adds the weights. */
function languagesOf(locale: string): string {
  const [language] = locale.split('-');
  return language === locale ? locale : `${locale},${language}`;
}

const platforms: [pattern: RegExp, hint: string, platform: string][] = [
  [/Android/, 'Android', 'Linux armv81'],
  [/iPhone|iPod/, 'iOS', 'iPhone'],
  [/iPad/, 'iOS', 'iPad'],
  [/Windows/, 'Windows', 'Win32'],
  [/Mac OS X|Macintosh/, 'macOS', 'MacIntel'],
  [/CrOS/, 'Chrome OS', 'Linux x86_64'],
];

/** Only browsers made from Chromium send client hints. */
function hintsOf(userAgent: string, mobile: boolean): Partial<Agent> {
  const [, hint, platform] = platforms.find(([pattern]) => pattern.test(userAgent)) ?? [
    /./,
    'Linux',
    'Linux x86_64',
  ];
  const [, full, version] = /Chrome\/((\d+)[\d.]*)/.exec(userAgent) ?? [];
  if (version === undefined || full === undefined) return { platform };
  const brands = (of: string) => ['Chromium', 'Google Chrome'].map((brand) => ({ brand, version: of }));
  return {
    platform,
    userAgentMetadata: {
      brands: brands(version),
      fullVersionList: brands(full),
      platform: hint,
      platformVersion: '',
      architecture: '',
      model: '',
      mobile: mobile || /Mobile/.test(userAgent),
    },
  };
}

// A request of version 2 as the job that a render runs. What contradicts itself is refused here, before anything is paid for. Spec 10.
import { invalid } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import {
  isPicture,
  type BlockedKind,
  type PageChanges,
  type SentDocument,
  type Source,
  type SourceFile,
  type View,
  type WaitFor,
} from '#browser/job.ts';
import type { RenderRequest as Render } from '#renders/render-request.ts';
import { accessOf, hostOf } from '#http/api/v2/check-access.ts';
import { checkSelector } from '#http/api/v2/check-selector.ts';
import { devices } from '#http/api/v2/devices.ts';
import { languageTagOf } from '#http/api/v2/language-tag.ts';
import { outputsOf, putsOf, requirePixels } from '#http/api/v2/lower-outputs.ts';
import { RenderRequest } from '#http/api/v2/schemas.ts';
import { validateGiven, withDefaults } from '#http/body/validate.ts';

export interface InstallationSettings {
  /** Where the operator's list of hosts is; null if there is none. */
  blockedHostsFile: string | null;
}

type Asked = Required<Omit<RenderRequest, Unset>> & Pick<RenderRequest, Unset>;
type Unset =
  | 'url'
  | 'html'
  | 'markdown'
  | 'base_url'
  | 'outputs'
  | 'device'
  | 'media'
  | 'geolocation'
  | 'user_agent'
  | 'clock'
  | 'css'
  | 'script'
  | 'wait_for'
  | 'timeout_ms'
  | 'webhook_url'
  | 'expires_in'
  | 'reference';

/** `given` is as the client sent it, but for a large document: what was left out counts where fields contradict each other. */
export function lowerRequest(
  given: RenderRequest,
  files: SourceFile[],
  settings: InstallationSettings,
  document?: SentDocument,
): Omit<Render, 'keepMs'> {
  const asked = withDefaults(RenderRequest, given) as Asked;
  const source = sourceOf(given, files, document);
  const view = viewOf(given, asked);
  const outputs = outputsOf(given);
  requirePixels(outputs, view);
  const access = accessOf(given, source.kind === 'url' ? source.url : (source.baseUrl ?? undefined));
  const hasPdf = outputs.some((output) => output.format === 'pdf' || (isPicture(output) && output.printed));
  const usualMs = hasPdf ? limits.pdfTotalMs : limits.screenshotTotalMs;
  const timeoutMs = asked.timeout_ms ?? usualMs;
  const isHosted = isHostedAnswer(asked, outputs.length);
  return {
    version: 2,
    job: {
      source,
      view,
      access,
      changes: changesOf(asked, settings),
      waits: {
        until: asked.wait_until,
        settles: true,
        for: conditionsOf(asked.wait_for),
        delayMs: asked.delay_ms,
        failOn: [...new Set(asked.fail_on)],
        // Whoever gives a page more time gives it to the load; what comes after the load keeps its own.
        navigationMs: Math.min(
          timeoutMs,
          Math.max(limits.navigationMs, limits.navigationMs + timeoutMs - usualMs),
        ),
      },
      outputs,
      ...(given.outputs && { isList: true }),
      timeoutMs,
    },
    options: shownOptions(given),
    puts: putsOf(given),
    reference: asked.reference ?? null,
    isHosted,
    expiresInSeconds: asked.expires_in,
  };
}

/** Of a render that was queued, perhaps by an earlier version of the service. */
export const lowerStored = (
  given: unknown,
  files: SourceFile[],
  settings: InstallationSettings,
  document?: SentDocument,
) => lowerRequest(validateGiven(RenderRequest, given), files, settings, document);

function sourceOf(given: RenderRequest, files: SourceFile[], document: SentDocument | undefined): Source {
  const kinds = (['url', 'html', 'markdown'] as const).filter(
    (name) => given[name] !== undefined || document?.kind === name,
  );
  const [kind, another] = kinds;
  if (kind === undefined) throw invalid('url', 'missing; send exactly one of url, html and markdown');
  if (another !== undefined)
    throw invalid(another, `cannot be combined with ${kind}; send exactly one of url, html and markdown`);
  const text = given[kind] ?? '';
  if (kind !== 'url') return { kind, text: document?.text ?? text, baseUrl: given.base_url ?? null, files };
  if (given.base_url !== undefined)
    throw invalid('base_url', 'is the address of html or markdown; leave it out with url');
  if (files.length > 0) throw invalid('file', 'files go with html or markdown, not with url; leave them out');
  return { kind, url: text };
}

function viewOf(given: RenderRequest, asked: Asked): View {
  const device = given.device === undefined ? undefined : devices[given.device];
  const viewport = asked.viewport as Required<typeof asked.viewport>;
  const own = given.viewport ?? {};
  const mobile = own.mobile ?? device?.mobile ?? viewport.mobile;
  const { geolocation } = asked;
  return {
    width: own.width ?? device?.width ?? viewport.width,
    height: own.height ?? device?.height ?? viewport.height,
    pixelRatio: own.pixel_ratio ?? device?.pixelRatio ?? viewport.pixel_ratio,
    mobile,
    touch: mobile,
    colorScheme: asked.color_scheme,
    media: asked.media ?? null,
    reducedMotion: asked.reduced_motion,
    locale: given.locale === undefined ? asked.locale : languageTagOf(given.locale, 'locale'),
    timezone: given.timezone === undefined ? asked.timezone : timezoneOf(given.timezone),
    geolocation: geolocation ? (geolocation as Required<typeof geolocation>) : null,
    userAgent: given.user_agent === undefined ? (device?.userAgent ?? null) : userAgentOf(given.user_agent),
    clock: given.clock === undefined ? null : clockOf(given.clock),
  };
}

function timezoneOf(given: string): string {
  try {
    // An offset is no zone for the browser.
    if (!/^[+-]/.test(given))
      return new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions().timeZone;
  } catch {
    // Not a time zone.
  }
  throw invalid(
    'timezone',
    `must be a name of the IANA database such as Europe/Zurich, not ${JSON.stringify(given)}`,
  );
}

function userAgentOf(given: string): string {
  if (/^[\u0020-\u007e]+$/.test(given)) return given;
  throw invalid('user_agent', 'must have printable ASCII characters only');
}

const clockYears = { min: 1971, max: 9998 };

function clockOf(given: string): number {
  const ms = Date.parse(given);
  const year = new Date(ms).getUTCFullYear();
  if (year >= clockYears.min && year <= clockYears.max) return ms;
  throw invalid(
    'clock',
    `must be a date and time from ${clockYears.min} to ${clockYears.max}, not ${JSON.stringify(given)}`,
  );
}

function changesOf(asked: Asked, { blockedHostsFile }: InstallationSettings): PageChanges {
  const { block, hide, block_hosts: hosts } = asked;
  const ads = block.indexOf('ads');
  if (ads !== -1 && blockedHostsFile === null)
    throw invalid(
      `block[${ads}]`,
      'ads: this installation has no list of ad hosts; leave it out, or ask the operator to set BLOCKED_HOSTS_FILE',
    );
  for (const [index, selector] of hide.entries()) checkSelector(selector, `hide[${index}]`);
  const kinds: BlockedKind[] = ['images', 'media', 'fonts'];
  return {
    javascript: asked.javascript,
    css: asked.css ?? null,
    script: asked.script ?? null,
    hide,
    blockKinds: kinds.filter((kind) => block.includes(kind)),
    blockHosts: hosts.map((given, index) => {
      const host = hostOf(given.replace(/^\*?\.|\.$/g, ''));
      if (host !== undefined) return host;
      throw invalid(
        `block_hosts[${index}]`,
        `must be a host name such as ads.example.com, not ${JSON.stringify(given.slice(0, 80))}`,
      );
    }),
    blockedHostsFile: ads === -1 ? null : blockedHostsFile,
    declineCookieBanners: block.includes('cookie_banners'),
  };
}

function conditionsOf(given: RenderRequest['wait_for']): WaitFor[] {
  const isList = Array.isArray(given);
  return [given ?? []].flat().map((one, index): WaitFor => {
    const field = isList ? `wait_for[${index}]` : 'wait_for';
    if (typeof one === 'string') {
      checkSelector(one, field);
      return { field, selector: one, state: 'visible' };
    }
    if ('expression' in one) return { field, expression: one.expression };
    checkSelector(one.selector, `${field}.selector`);
    return { field, selector: one.selector, state: one.state ?? 'visible' };
  });
}

function isHostedAnswer(
  { response, expires_in, async: isQueued, webhook_url }: Asked,
  outputs: number,
): boolean {
  if (webhook_url !== undefined && !isQueued)
    throw invalid('webhook_url', 'is for queued renders; send "async": true, or leave it out');
  if (isQueued || response === 'json') return true;
  if (outputs > 1) throw invalid('response', 'must be json for several outputs: one file holds one of them');
  if (expires_in !== undefined)
    throw invalid('expires_in', 'is for hosted outputs; send "response": "json", or leave it out');
  return false;
}

/** Secrets and documents are in no list and in no history; the rest is in columns of its own. */
const unshown = [
  'url',
  'html',
  'markdown',
  'base_url',
  'put_url',
  'headers',
  'cookies',
  'basic_auth',
  'css',
  'script',
  'header',
  'footer',
  'password',
  'response',
  'async',
  'webhook_url',
  'max_age',
  'expires_in',
  'reference',
];

function shownOptions({ outputs, ...given }: RenderRequest): Record<string, unknown> {
  const shown = (fields: object) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => !unshown.includes(name)));
  return { ...shown(given), ...(outputs && { outputs: outputs.map(shown) }) };
}

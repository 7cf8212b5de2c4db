// How a page is seen: size, pixels, device, media, language, place. v2 2 (view).
import { plainView, type View } from '#browser/job.ts';
import type { CdpSession } from '#browser/process/cdp.ts';
import type { Page } from '#browser/page/page.ts';
import { ignore } from '#browser/page/page-sessions.ts';
import { isRefusal } from '#browser/page/refusal.ts';
import { agentOf } from '#browser/page/open/user-agent.ts';

/**
 * Before the page is opened. Resolves when the browser knows the view, because the process that shows the page is told only what was known
 * when it began.
 */
export async function setView(page: Page, view: View): Promise<void> {
  page.resize(view);
  page.prepareChildren((child, { type }) => {
    for (const sent of setInSession(child, view, type === 'iframe')) ignore(sent);
  });
  const { geolocation } = view;
  await Promise.all([
    ...(geolocation
      ? [page.allowGeolocation(), page.session.send('Emulation.setGeolocationOverride', geolocation)]
      : []),
    ...setInSession(page.session, view, true).map(unlessRefused),
  ]);
}

/** What is as usual is not sent. Frames of other sites and workers have their view from their own session. */
function setInSession(session: CdpSession, view: View, hasPage: boolean): Promise<unknown>[] {
  const { media, locale, timezone, userAgent, touch } = view;
  const isUsual = (name: keyof typeof plainView) => view[name] === plainView[name];
  const sent: Promise<unknown>[] = [];
  const emulated = mediaOf(view, media);
  if (hasPage && (media !== null || emulated.features.length > 0))
    sent.push(session.send('Emulation.setEmulatedMedia', emulated));
  if (hasPage && touch)
    sent.push(session.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 5 }));
  if (!isUsual('timezone'))
    sent.push(session.send('Emulation.setTimezoneOverride', { timezoneId: timezone }));
  if (!isUsual('locale')) sent.push(session.send('Emulation.setLocaleOverride', { locale }));
  if (userAgent !== null || !isUsual('locale'))
    sent.push(session.send('Emulation.setUserAgentOverride', agentOf(view)));
  return sent;
}

/** Both are set at once: without its features, a medium has the usual ones. */
export function mediaOf({ colorScheme, reducedMotion, contrast, forcedColors }: View, media: View['media']) {
  const features = [
    ...(colorScheme === plainView.colorScheme ? [] : [{ name: 'prefers-color-scheme', value: colorScheme }]),
    ...(reducedMotion ? [{ name: 'prefers-reduced-motion', value: 'reduce' }] : []),
    ...(contrast === plainView.contrast ? [] : [{ name: 'prefers-contrast', value: contrast }]),
    ...(forcedColors ? [{ name: 'forced-colors', value: 'active' }] : []),
  ];
  return { media: media ?? '', features };
}

/** A browser may not know a language or a zone that the service knows. */
async function unlessRefused(sent: Promise<unknown>): Promise<void> {
  await sent.catch((error: unknown) => {
    if (!isRefusal(error)) throw error;
  });
}

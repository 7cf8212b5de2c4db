// Collects what a render has to say about its page: where it ended, with which status, and what went wrong in it. v2 2 (receipt).
import { namesAbove } from '#wall/blocked-hosts.ts';
import { RenderFailure, type PageReceipt, type Warning } from '#browser/browser.ts';
import type { FailOn, Source, Task } from '#browser/job.ts';
import { bareAddress } from '#browser/page/bare-address.ts';
import { isPrivateAddress } from '#browser/page/private-address.ts';
import { createExceptions } from '#browser/page/exceptions.ts';
import type { FailedRequest } from '#browser/page/failed-requests.ts';
import type { Page } from '#browser/page/page.ts';
import { shownEntry } from '#browser/page/shown-entry.ts';

export interface Notes {
  /** The same warning is kept once. */
  warn(warning: Warning): void;
  /** Throws if something happened on which the client wants the render to fail. */
  throwIfUnwanted(signal: AbortSignal): Promise<void>;
  receipt(signal: AbortSignal): Promise<Omit<PageReceipt, 'width' | 'height'>>;
}

export function createNotes(page: Page, { source, changes, waits: { failOn } }: Task): Notes {
  const warnings = new Map<string, Warning>();
  const exceptions = createExceptions(page);
  /** Without network, the browser refuses some by itself, such as http from the document's https. */
  const isWithheld = ({ status }: FailedRequest) => changes.network === 'none' && status === null;
  const failures = () =>
    page.failedRequests.all().map((one) => ({ ...one, isBlocked: one.isBlocked || isWithheld(one) }));
  const isPrivate = (url: string) =>
    source.kind !== 'url' && source.baseUrl === null && isPrivateAddress(url);
  /** A file that should have come with the request is called by its name there. */
  const nameOf = (url: string) => (isPrivate(url) ? new URL(url).pathname.slice(1) : bareAddress(url));

  /** What is wrong with the page, in words. */
  const unwanted: Record<FailOn['on'], (wanted: FailOn, signal: AbortSignal) => Promise<string | undefined>> =
    {
      async http_error(wanted, signal) {
        const { status } = page.mainFrame;
        if (status === null || status < 400) return undefined;
        const { url } = await shownEntry(page, signal);
        return counts(wanted, { url, status }) ? `the page answered with status ${status}` : undefined;
      },
      /** Also what was answered with an error, because the page lacks it all the same. What the client blocks does not count. */
      async request_failed(wanted) {
        const failed = failures().find((one) => !one.isBlocked && counts(wanted, one));
        return failed && `a request of the page failed: ${nameOf(failed.url)}`;
      },
      async script_error(_, signal) {
        const [first] = await exceptions(signal);
        return first && `a script of the page failed: ${first.text}`;
      },
    };

  const all = async (signal: AbortSignal): Promise<Warning[]> => [
    // The service's own come first, because a receipt has only so many.
    ...warnings.values(),
    ...failures().map((request) => ({ ...wordsFor(request), url: nameOf(request.url) })),
    ...(await exceptions(signal)).map(({ text, url }) => ({
      code: 'script_error' as const,
      message: text,
      // An inline script of a document without an address has none either.
      url: nameOf(url) || null,
    })),
  ];

  return {
    warn(warning) {
      warnings.set(JSON.stringify(warning), warning);
    },
    async throwIfUnwanted(signal) {
      for (const wanted of failOn) {
        const message = await unwanted[wanted.on](wanted, signal);
        if (message === undefined) continue;
        const told = unique(await all(signal));
        throw new RenderFailure(wanted.on, message, { field: 'fail_on', warnings: told });
      }
    },
    async receipt(signal) {
      const [{ url, title }, found] = await Promise.all([shownEntry(page, signal), all(signal)]);
      const isOfRequest = isPrivate(url) || isBase(source, url);
      return {
        finalUrl: isPrivate(url) ? null : bareAddress(url),
        status: isOfRequest ? null : page.mainFrame.status,
        title,
        warnings: unique(found),
      };
    },
  };
}

/** Whether a status of 400 or more, or none, is one that the client means. */
function counts(
  { statuses, exceptHosts }: FailOn,
  { url, status }: Pick<FailedRequest, 'url' | 'status'>,
): boolean {
  const host = URL.parse(url)?.hostname ?? '';
  if (namesAbove(host).some((name) => exceptHosts.includes(name))) return false;
  if (statuses === null) return true;
  return status !== null && [status, `${Math.floor(status / 100)}xx`].some((one) => statuses.includes(one));
}

/** Whether the document of the request has this address. */
const isBase = (source: Source, url: string): boolean =>
  source.kind !== 'url' &&
  source.baseUrl !== null &&
  new URL(source.baseUrl).href.split('#')[0] === url.split('#')[0];

/** One message for all that were not answered: it does not say why. */
function wordsFor({ status, isBlocked }: FailedRequest): Pick<Warning, 'code' | 'message'> {
  if (isBlocked) return { code: 'request_blocked', message: 'the request was blocked' };
  const message = status === null ? 'the request failed' : `the request was answered with status ${status}`;
  return { code: 'request_failed', message };
}

/** Addresses that differ in their query strings only are the same here. */
const unique = (warnings: Warning[]): Warning[] => [
  ...new Map(warnings.map((warning) => [JSON.stringify(warning), warning])).values(),
];

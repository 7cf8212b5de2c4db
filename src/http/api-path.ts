// Which part of the API a path belongs to.

/** As the router sees it: with percent-encoded letters decoded, also if the request line has an absolute URL. RFC 9112 3.2.2. */
const routedPath = (target: string): string =>
  (target.split('?', 1)[0] ?? '')
    .replace(/^https?:\/\/[^/]*/i, '')
    .replace(/%(?:3\d|[4-7][0-9a-f])/gi, decodeURIComponent);

export const isApi = (target: string): boolean => /^\/api(\/|$)/.test(routedPath(target));

export const isVersion2 = (target: string): boolean => /^\/api\/v2(\/|$)/.test(routedPath(target));

/** Version 2, its links, upload links and variants of pictures, and where the dashboard calls it. */
export const failsAsVersion2 = (target: string): boolean =>
  isVersion2(target) ||
  /^\/(?:[ru]\/|api\/dashboard\/playground\/render$)/.test(routedPath(target)) ||
  (/^\/[fs]\//.test(routedPath(target)) && /[?&](?:width|format)=/.test(target));

// Who may go where: a row for each way by which the service goes to an address that it was given. The callers take their rules from their
// row, docs/security.md shows the rows, and `npm run prove -- attacks` walks through them: one without attacks fails. v2 2, 3, 4.
import { limits } from '#core/limits.ts';

const KiB = 1024;
const MiB = 1024 * KiB;

/** What opens an address that is not public. */
export type Opening =
  /** The operator, for everything that goes out. */
  | 'EGRESS_ALLOW'
  /** The owner, one host and port for one account. */
  | 'grants';

/** The limits of one render, for all that its page loads. */
export interface DoorLimits {
  /** Both directions together. */
  bytes: number;
  /** Plain requests, tunnels, and the requests inside tunnels that the browser reports as answered. */
  requests: number;
  /** Connections from the browser that may be open at once. */
  connectionsAtOnce: number;
  connections: number;
  connectMs: number;
  /**
   * Headers of a plain response; what TLS carries is not read here. Twice what Node and HAProxy accept and as much as Varnish and nginx,
   * so no site that works behind one of them is refused. Chromium's own limit is eight times as much.
   */
  headerBytes: number;
  /** The headers of a plain request. A client's 20 headers and 50 cookies have 290 KiB at most, and the page may add its own. */
  requestHeaderBytes: number;
}

/** The limits of one request of the service itself. */
interface ExchangeLimits {
  /** From the look-up to the end of the answer, if neither body is large. */
  exchangeMs: number;
  /** In addition for each MiB of a body, in either direction. */
  msPerMiB: number;
  /** Read of an answer besides a body that is wanted: the head, TLS, what frames the body. */
  answerBytes: number;
  /** The size of a body that is wanted. */
  bodyBytes?: number;
}

interface Row {
  /** What goes out, and where its address comes from; for people. */
  what: string;
  schemes: readonly ('http' | 'https' | 'ws' | 'wss')[];
  /** `judged`: each is an address of its own. `refused`: the answer is a failure. `followed`: the provider is trusted. */
  redirects: 'judged' | 'refused' | 'followed';
  /** `any`: the operator has written the address, so nothing judges it. */
  openings: readonly Opening[] | 'any';
  /** The address is all that is needed to write there, so no message quotes it. */
  isSecret?: true;
  /** It gets what one request does with a result: others that ask for the same result try for themselves. */
  isOfDelivery?: true;
  /** What happens if the address is not allowed; for people. */
  refusal: string;
}

export type WayOut = Row &
  (
    | { through: 'door'; limits: DoorLimits }
    | { through: 'dialer'; method: 'GET' | 'POST' | 'PUT'; limits: ExchangeLimits }
    /** The library that signs people in makes its own requests. */
    | { through: 'library'; limits: { exchangeMs: number } }
  );

/** A page has one door, so what it loads has the rules of the page. */
const door = {
  through: 'door',
  redirects: 'judged',
  openings: ['EGRESS_ALLOW', 'grants'],
  limits: {
    bytes: 200 * MiB,
    requests: 3_000,
    connectionsAtOnce: 256,
    connections: 2_000,
    connectMs: 10_000,
    headerBytes: 32 * KiB,
    requestHeaderBytes: 512 * KiB,
  },
} as const;

/** An answer would come from inside, without a browser's rules for origins: no grant counts. */
const dialer = { through: 'dialer', redirects: 'refused', openings: ['EGRESS_ALLOW'] } as const;
const exchange = { exchangeMs: 10_000, msPerMiB: 1_000, answerBytes: 64 * KiB } as const;

export const waysOut = {
  page: {
    ...door,
    what: 'a page: `url`, `base_url`',
    schemes: ['http', 'https'],
    refusal: '422; behind a redirect 502',
  },
  subresource: {
    ...door,
    what: 'what a page loads',
    schemes: ['http', 'https', 'ws', 'wss'],
    refusal: 'missing from the page',
  },
  webhook: {
    ...dialer,
    what: 'webhooks: `url` of an endpoint',
    schemes: ['https'],
    method: 'POST',
    limits: exchange,
    refusal: '422; later a failed attempt',
  },
  webhookUrl: {
    ...dialer,
    what: '`webhook_url` of a queued render',
    schemes: ['https'],
    method: 'POST',
    limits: exchange,
    refusal: '422; later a failed attempt',
  },
  put: {
    ...dialer,
    what: '`put_url` of an output',
    schemes: ['https'],
    method: 'PUT',
    limits: exchange,
    isSecret: true,
    isOfDelivery: true,
    refusal: '422; later a warning',
  },
  upload: {
    ...dialer,
    what: '`url` of an upload',
    schemes: ['http', 'https'],
    method: 'GET',
    limits: { ...exchange, bodyBytes: limits.fileBytes },
    refusal: '422; a redirect 502',
  },
  signIn: {
    through: 'library',
    what: 'sign-in: `OIDC_ISSUER`, and what its document names',
    schemes: ['http', 'https'],
    redirects: 'followed',
    openings: 'any',
    limits: { exchangeMs: 10_000 },
    refusal: 'none: the operator chose it',
  },
} as const satisfies Record<string, WayOut>;

export type WayName = keyof typeof waysOut;
type Through<Means extends WayOut['through']> = {
  [Name in WayName]: (typeof waysOut)[Name] extends { through: Means } ? Name : never;
}[WayName];
/** Addresses that are judged before the service, or a page, goes there. */
export type JudgedWay = Through<'door' | 'dialer'>;
export type DialedWay = Through<'dialer'>;

// What an attack and a neighbour know of the service: where it is, and what each of the two accounts holds there.
/** The attacker has a network of its own, each address of which is a site to a browser. The neighbour uses 127.0.0.1. */
export const attackerBlock = '127.0.2.0/24';
export const attackerHosts = Array.from({ length: 40 }, (_, index) => `127.0.2.${index + 1}`);
/** The attacker's pages are at this address, and its attacks on connections come from it. */
export const attackerAddress = attackerHosts[0]!;

export interface Account {
  key: string;
  /** Of a session at the dashboard. */
  cookie: string;
}

export interface Target {
  origin: string;
  baseUrl: string;
  account: Account;
  /** An upload of 9 MB of that account: its slug and its id. */
  big: { slug: string; id: string };
  /** A server on loopback that renders may reach. */
  pages: string;
}

/** A request at the dashboard, with the account's session. */
export const atDashboard = (
  { origin, baseUrl, account }: Target,
  path: string,
  init: RequestInit = {},
): Promise<Response> =>
  fetch(`${origin}/api/dashboard${path}`, {
    ...init,
    headers: { cookie: account.cookie, origin: baseUrl, 'content-type': 'application/json' },
  });

export const shoot = (
  target: Target,
  url: string,
  init: RequestInit = {},
  body: object = {},
  endpoint: 'screenshot' | 'pdf' = 'screenshot',
): Promise<Response> =>
  fetch(`${target.origin}/api/v1/${endpoint}`, {
    method: 'POST',
    ...init,
    headers: {
      authorization: `Bearer ${target.account.key}`,
      'content-type': 'application/json',
      ...(init.headers as Record<string, string> | undefined),
    },
    body: JSON.stringify({ url, ...body }),
  });

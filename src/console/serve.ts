// Serves the dashboard's table of routes: for each request the checks in order (origin, session, access, budget, query, body),
// then the handler. A handler gets only the signed-in account's rows.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError, notFound } from '#core/errors.ts';
import type { Owned } from '#storage/owned/owned.ts';
import { callerFor } from '#accounts/authenticate.ts';
import type { Client } from '#accounts/auth-calls.ts';
import type { Person } from '#accounts/sessions.ts';
import { addressSubject, networksOf, type Guards } from '#http/guards.ts';
import { readJsonBody } from '#http/body/json-body.ts';
import type { Addresses } from '#http/addresses.ts';
import { readQuery } from '#http/query.ts';
import type { Rooms } from '#http/rooms.ts';
import type { Handler, Route } from '#http/route.ts';
import { endpoints, methodAndPath, type EndpointName } from '#api/contract.ts';
import {
  attemptsPerMinute,
  dashboardRequestsPerMinute,
  dashboardRoutes,
  type Access,
  type BodyOf,
  type Contract,
  type OwnRouteName,
  type QueryOf,
  type RouteName,
} from '#console/contract.ts';
import { dashboardPath } from '#console/paths.ts';

interface Call<Name extends RouteName> {
  request: FastifyRequest;
  reply: FastifyReply;
  client: Client;
  /** The `:id` of the path. */
  id: string;
  query: QueryOf<Name>;
  body: BodyOf<Name>;
  person: (typeof dashboardRoutes)[Name]['access'] extends 'public' ? undefined : Person;
  owned: (typeof dashboardRoutes)[Name]['access'] extends 'public' ? undefined : Owned;
}

export type Handlers = { [Name in OwnRouteName]: (call: Call<Name>) => Promise<unknown> };

/** What the dashboard's handlers are made of; each takes what it needs. */
export interface DashboardParts extends Rooms {
  guards: Guards;
  settings: Addresses & { version: string; dataDir: string | undefined };
  /** Asks each part that the service depends on whether it responds. */
  runChecks: () => Promise<{ name: string; error?: Error }[]>;
  /** The handlers of the API, some of which the dashboard serves too. */
  api: Record<EndpointName, Handler>;
}

type AnyHandler = (call: unknown) => Promise<unknown>;

export const serveDashboard = (parts: DashboardParts, handlers: Handlers): Route[] =>
  Object.entries<Contract>(dashboardRoutes).map(([name, contract]) => {
    const [method, path] = methodAndPath(name);
    return {
      methods: [method],
      path: dashboardPath + path,
      version: contract.endpoint === undefined ? 2 : endpoints[contract.endpoint].version,
      audience: 'person',
      handler: (request: FastifyRequest, reply: FastifyReply) =>
        answer(parts, contract, handlers[name as OwnRouteName] as AnyHandler, request, reply),
    };
  });

async function answer(
  parts: DashboardParts,
  contract: Contract,
  handler: AnyHandler,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  reply.headers({
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  });
  if (request.method !== 'GET') requireOwnOrigin(request, parts.settings.baseUrl);
  const client: Client = {
    cookie: request.headers.cookie,
    address: request.ip,
    userAgent: request.headers['user-agent'],
  };
  const person = await requireAccess(parts, contract.access, client, request, reply);
  if (contract.endpoint !== undefined) return parts.api[contract.endpoint](request, reply);
  const body = contract.body && (await readJsonBody(request.raw, contract.body));
  const given = await parts.accounts.signIn.inLineOf(lineOf(request.ip, person?.account.id), () =>
    handler({
      request,
      reply,
      client,
      id: idOf(request),
      query: contract.query && readQuery(request, contract.query),
      body,
      person,
      owned: person && parts.database.tables.ownedBy(person.account.id),
    }),
  );
  return given === reply ? reply : reply.code(contract.status ?? 200).send(given);
}

/** Where passwords wait to be checked: people who have a session here take turns with strangers, then networks with networks. */
export const lineOf = (ip: string, person: string | undefined): string[] =>
  person === undefined ? ['strangers', ...networksOf(ip)] : ['known', ...networksOf(ip), person];

/** No id contains this character, and Postgres fails on a query with it. */
function idOf(request: FastifyRequest): string {
  const { id = '' } = request.params as { id?: string };
  if (id.includes('\0')) throw notFound();
  return id;
}

/** Refuses callers who may not use the route, spends the right budget, and reveals to others no more than they may know. */
async function requireAccess(
  { guards, accounts: { plans, signIn } }: DashboardParts,
  access: Access,
  client: Client,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Person | undefined> {
  if (access === 'public') {
    const address = addressSubject(request.ip);
    if (request.method === 'GET') guards.spend(reply, `dashboard ${address}`, dashboardRequestsPerMinute);
    else guards.spend(reply, `sign-in ${address}`, attemptsPerMinute.address);
    return undefined;
  }
  const session = await signIn.whoIs(client);
  if (!session) {
    guards.refuseGuess(request, reply);
    throw new ServiceError('unauthorized', 'Sign in first.');
  }
  setCookies(reply, session.cookies);
  const { account } = session.value;
  request.caller = callerFor({ ...account, account_id: account.id }, null, plans);
  if (access === 'api') {
    await guards.admitPerson(request, reply);
  } else {
    guards.spend(reply, `dashboard ${account.id}`, dashboardRequestsPerMinute);
  }
  if (access !== 'person' && account.suspended === 1) {
    const why = account.suspended_reason === null ? '' : ` Reason: ${account.suspended_reason}`;
    throw new ServiceError('unauthorized', `This account is suspended.${why}`);
  }
  if ((access === 'verified' || access === 'api') && account.verified === 0) {
    throw new ServiceError(
      'unauthorized',
      'Confirm your e-mail address first: follow the link in the mail, or ask the operator to verify it.',
    );
  }
  if (access === 'owner' && account.owner === 0) throw notFound();
  return session.value;
}

export function setCookies(reply: FastifyReply, cookies: string[]): void {
  if (cookies.length > 0) reply.header('set-cookie', cookies);
}

/**
 * Browsers send the origin with every request that can change something; requests from another site, or without an origin, are
 * refused.
 */
function requireOwnOrigin(request: FastifyRequest, baseUrl: string): void {
  const { origin } = request.headers;
  const isOwn = origin === baseUrl || (origin !== undefined && URL.parse(origin)?.host === request.host);
  if (!isOwn)
    throw new ServiceError('unauthorized', 'Origin: this request does not come from the dashboard.');
}

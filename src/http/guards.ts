// The guards of routes: key, then request budget; and the budget of a client address if there is no account. The path and the
// method are already checked (routes.ts). Spec 5, 7, 8.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseClient } from '#core/address.ts';
import { ServiceError, type Version } from '#core/errors.ts';
import { ScopeRefusedError, type Caller, type KeyUse } from '#accounts/authenticate.ts';
import type { Admission } from '#metering/admission.ts';
import type { BudgetStanding, RequestBudget } from '#metering/request-budget.ts';
import { budgetHeaders } from '#http/reply-headers.ts';

/** Refusals of one client address per minute; above that, guessing keys and tokens gets a 429. */
export const refusalsPerMinute = 600;

export function createGuards({ admission, budget }: { admission: Admission; budget: RequestBudget }) {
  /** Checks the key and its scope, then the budget of its account. */
  const admitFor =
    (use: KeyUse, version: Version = 1) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const { caller, standing } = await admission
        .admit(request.headers.authorization, use, request.ip)
        .catch((error: unknown) => {
          if (error instanceof ServiceError && error.code === 'unauthorized') refuseGuess(request, reply);
          else showAddressBudget(request, reply);
          throw version === 2 && error instanceof ScopeRefusedError ? error.asForbidden : error;
        });
      request.caller = caller;
      enforce(reply, standing);
    };

  /** A person who uses the API's functions in the dashboard spends the same budget. */
  async function admitPerson(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    enforce(reply, await admission.count(callerOf(request)));
  }

  /** Counts the request against a budget of this machine, which the response then shows. */
  function spend(reply: FastifyReply, subject: string, limit: number): void {
    enforce(reply, budget.spend(subject, limit));
  }

  /** The same, but only a refusal shows the budget: anyone may be sent what is counted here. */
  function refuseAbove(reply: FastifyReply, subject: string, limit: number): void {
    const standing = budget.spend(subject, limit);
    if (standing.isSpent) enforce(reply, standing);
  }

  /**
   * For 404 and 405 under /api/, which come before the key is checked: they count against the client's address. A client that sends a
   * valid key is shown the budget of its account, unless this address has spent its own.
   */
  async function countRefusal(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const standing = budget.spend(addressSubject(request.ip), refusalsPerMinute);
    const { authorization } = request.headers;
    const own =
      authorization === undefined || standing.isSpent
        ? undefined
        : await admission.standing(authorization, request.ip).catch(() => undefined);
    reply.headers(budgetHeaders(own ?? standing));
  }

  /** A wrong key or token; once the address has spent its budget, every answer is a 429. */
  function refuseGuess(request: FastifyRequest, reply: FastifyReply): void {
    spend(reply, addressSubject(request.ip), refusalsPerMinute);
  }

  function showAddressBudget(request: FastifyRequest, reply: FastifyReply): void {
    reply.headers(budgetHeaders(addressBudget(request.ip)));
  }

  function addressBudget(ip: string): BudgetStanding {
    return budget.peek(addressSubject(ip), refusalsPerMinute);
  }

  return {
    admitFor,
    admitPerson,
    spend,
    refuseAbove,
    countRefusal,
    refuseGuess,
    showAddressBudget,
    addressBudget,
  };
}

export type Guards = ReturnType<typeof createGuards>;

/** The caller of a route guarded by `admitFor`. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error(`${request.url} is not behind admitFor`);
  return request.caller;
}

/** Shows the budget in the response, and refuses the request if it is spent. */
function enforce(reply: FastifyReply, standing: BudgetStanding): void {
  reply.headers(budgetHeaders(standing));
  const { limit, resetSeconds, isSpent } = standing;
  if (isSpent)
    throw new ServiceError(
      'rate_limited',
      `The budget of ${limit} requests a minute is spent. It refills in ${resetSeconds} s.`,
      { retryAfterSeconds: resetSeconds },
    );
}

/** An IPv6 customer has at least a /64, so a /64 counts as one address. */
export const addressSubject = (ip: string): string => `address ${networksOf(ip).at(-1)}`;

/**
 * The networks that a client is in, the largest first: those that providers, customers and sites are given. The last one counts as
 * one client.
 */
export function networksOf(ip: string): string[] {
  const bytes = parseClient(ip);
  if (!bytes) return [ip];
  return bytes.length === 4
    ? [2, 3, 4].map((length) => bytes.slice(0, length).join('.'))
    : [4, 6, 8].map((length) => Buffer.from(bytes.slice(0, length)).toString('hex'));
}

// A person with a browser at the dashboard: keeps cookies, sends an Origin header, and reads the links in the log.
import type { RouteName } from '#console/contract.ts';
import type { AnswerOf } from '#console/handlers.ts';
import { dashboardPath } from '#console/paths.ts';
import type { Answer, ErrorBody } from '#test/support/requests.ts';
import type { TestService } from '#test/support/service.ts';

export const password = 'correct horse battery';

export interface Visitor {
  /** Calls a route of the contract; `:id` is replaced. */
  call: <Name extends RouteName>(
    name: Name,
    options?: CallOptions,
  ) => Promise<Answer<AnswerOf<Name> & ErrorBody>>;
  /** The same, for responses that are not JSON. */
  raw: (name: RouteName, options?: CallOptions) => Promise<Response>;
  cookies: Map<string, string>;
}

export interface CallOptions {
  id?: string;
  query?: Record<string, string>;
  body?: object;
  form?: FormData;
  origin?: string | null;
  headers?: Record<string, string>;
}

export function createVisitor(service: TestService, headers: Record<string, string> = {}): Visitor {
  const cookies = new Map<string, string>();

  async function raw(name: RouteName, options: CallOptions = {}): Promise<Response> {
    const [method = '', path = ''] = name.split(' ');
    const { id = '', query, body, form, origin = service.config.baseUrl } = options;
    const search = query ? `?${new URLSearchParams(query).toString()}` : '';
    const content = form ?? (body && JSON.stringify(body));
    const response = await fetch(service.origin + dashboardPath + path.replace(':id', id) + search, {
      method,
      redirect: 'manual',
      headers: {
        ...headers,
        ...options.headers,
        ...(origin !== null && method !== 'GET' && { origin }),
        ...(body && { 'content-type': 'application/json' }),
        cookie: [...cookies].map(([key, value]) => `${key}=${value}`).join('; '),
      },
      ...(content !== undefined && { body: content }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) cookies.delete(key);
      else cookies.set(key, value);
    }
    return response;
  }

  return {
    cookies,
    raw,
    async call<Name extends RouteName>(name: Name, options?: CallOptions) {
      const response = await raw(name, options);
      const body = (await response.json()) as AnswerOf<Name> & ErrorBody;
      return { status: response.status, headers: response.headers, body };
    },
  };
}

/** A verified account whose owner is signed in with a password. */
export async function signedInVisitor(
  service: TestService,
  { plan = 'business', owner = false, verified = true } = {},
): Promise<Visitor & { email: string; accountId: string }> {
  const email = `person-${crypto.randomUUID()}@example.com`;
  const { id } = await service.accounts.create(email, { plan, owner, verified: true });
  const visitor = createVisitor(service);
  const token = new URL(await service.signIn.welcomeLink(email)).searchParams.get('token') ?? '';
  await visitor.call('POST /welcome', { body: { token } });
  await visitor.call('POST /change-password', { body: { new_password: password } });
  if (!verified) await service.accounts.update(email, { verified: false });
  return { ...visitor, email, accountId: id };
}

/** The token of the newest link to this address in the log; waits for it. */
export async function loggedToken(service: TestService, email: string): Promise<string> {
  const line = await service.nextLine((candidate) => candidate['to'] === email && 'link' in candidate);
  return new URL(String(line['link'])).searchParams.get('token') ?? '';
}

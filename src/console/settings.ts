// Settings: profile, address, password, sessions, export and deletion.
import type { FastifyReply } from 'fastify';
import { invalid, notFound } from '#core/errors.ts';
import type { Client } from '#accounts/auth-calls.ts';
import type { Unmailed } from '#accounts/mailed-links.ts';
import type { Person } from '#accounts/sessions.ts';
import { attemptsPerMinute } from '#console/contract.ts';
import { asFieldError, found } from '#console/errors.ts';
import { signedInView } from '#console/session.ts';
import { setCookies, type DashboardParts, type Handlers } from '#console/serve.ts';

export function settingsHandlers({ guards, accounts }: DashboardParts) {
  const { plans, signIn, accountDeletion } = accounts;

  /** The person after a change. */
  async function personNow(client: Client) {
    return signedInView(found(await signIn.whoIs(client)).value, plans);
  }

  /**
   * If the link was not mailed, following it proves nothing about the address; only an owner, who could read it in the log, gets
   * it.
   */
  const forOwner = ({ account }: Person, link: Unmailed) => ({
    mail: signIn.delivery,
    link: account.owner === 1 ? link : null,
  });

  /** These mails go to an address that may be a stranger's. */
  const spendMail = (reply: FastifyReply, { account }: Person): void =>
    guards.spend(reply, `mail ${account.id}`, attemptsPerMinute.email);

  return {
    async 'POST /verify-email/send'({ reply, person }) {
      if (person.account.verified === 1) throw invalid('email', 'is confirmed already');
      spendMail(reply, person);
      return forOwner(person, await signIn.sendVerification(person.account));
    },
    async 'POST /verify-email'({ person, client, body }) {
      await signIn.verifyEmail(body.token, person);
      return personNow(client);
    },
    async 'PATCH /profile'({ client, body }) {
      await signIn.rename(body.name, client);
      return personNow(client);
    },
    async 'POST /change-email'({ reply, person, client, body }) {
      await signIn.checkPassword(body.current_password, person, client);
      spendMail(reply, person);
      return forOwner(person, await signIn.changeEmail(body.email, person));
    },
    async 'POST /change-password'({ reply, person, client, body }) {
      const { cookies, value } = await signIn.changePassword(
        body.current_password,
        body.new_password,
        person,
        client,
      );
      setCookies(reply, cookies);
      return signedInView(value, plans);
    },
    async 'GET /sessions'({ person, client }) {
      const sessions = await signIn.sessions(client);
      return {
        items: sessions.map((session) => ({
          id: session.id,
          created_at: session.createdAt.toISOString(),
          last_active_at: session.updatedAt.toISOString(),
          expires_at: session.expiresAt.toISOString(),
          address: session.ipAddress ?? null,
          user_agent: session.userAgent ?? null,
          current: session.id === person.sessionId,
        })),
      };
    },
    async 'DELETE /sessions/:id'({ id, person, client }) {
      if (!(await signIn.endSession(id, person, client))) throw notFound();
      return { done: true };
    },
    async 'POST /sessions/sign-out-others'({ client }) {
      await signIn.endOtherSessions(client);
      return { done: true };
    },
    async 'POST /delete-account'({ reply, person, client, body }) {
      if (body.email.trim().toLowerCase() !== person.account.email) {
        throw invalid('email', 'is not the address of this account');
      }
      await signIn.checkPassword(body.current_password, person, client);
      await asFieldError('account', () => accountDeletion.begin(person.account.id));
      setCookies(reply, await signIn.signOut(client));
      await accountDeletion.finish();
      return { done: true };
    },
  } satisfies Partial<Handlers>;
}

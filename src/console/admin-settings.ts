// The owner's settings for the installation, and a test of its mail.
import type { InstallationSettings } from '#accounts/installation.ts';
import type { DashboardParts, Handlers } from '#console/serve.ts';

const testMailsPerMinute = 5;

export function adminSettingsHandlers({ guards, accounts: { installation, signIn } }: DashboardParts) {
  const view = (settings: InstallationSettings) => ({
    signups: settings.signups,
    /** True if the variable SIGNUPS is set: the dashboard cannot change it. */
    signups_fixed: settings.isSignupsFixed,
    operator_contact: settings.operatorContact,
    sends_mail: signIn.delivery === 'sent',
  });

  return {
    'GET /admin/settings': async () => view(await installation.read()),
    async 'PATCH /admin/settings'({ person, body: { signups, operator_contact: contact } }) {
      return view(
        await installation.change(person.account, {
          ...(signups !== undefined && { signups }),
          ...(contact !== undefined && { operatorContact: contact?.trim() || null }),
        }),
      );
    },
    async 'POST /admin/settings/test-mail'({ reply, person }) {
      const { id, email } = person.account;
      guards.spend(reply, `test mail ${id}`, testMailsPerMinute);
      try {
        await signIn.sendTestMail(email);
        return { to: email, problem: null };
      } catch (error) {
        return { to: email, problem: (error as Error).message.slice(0, 500) };
      }
    },
  } satisfies Partial<Handlers>;
}

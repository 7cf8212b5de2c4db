// The owner's settings for the installation, and a test of its mail.
import type { Installation, InstallationSettings } from '#accounts/installation.ts';
import type { SignIn } from '#accounts/sign-in.ts';
import type { InstallationView } from '#http/dashboard/schemas/admin.ts';
import type { Handlers } from '#http/dashboard/serve.ts';
import type { Guards } from '#http/guards.ts';

type Names = 'GET /admin/settings' | 'PATCH /admin/settings' | 'POST /admin/settings/test-mail';

export interface AdminSettingsParts {
  installation: Installation;
  signIn: SignIn;
  guards: Guards;
}

const testMailsPerMinute = 5;

export function adminSettingsHandlers(parts: AdminSettingsParts): Pick<Handlers, Names> {
  const { installation, signIn, guards } = parts;

  const view = (settings: InstallationSettings): InstallationView => ({
    signups: settings.signups,
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
  };
}

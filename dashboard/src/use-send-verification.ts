// Sends the verification mail again.
import { call } from '#app/api.ts';
import { note } from '#app/parts/toast.tsx';
import { useAction } from '#app/parts/use-action.ts';

export const useSendVerification = (email: string) =>
  useAction(() => call('POST /verify-email/send'), {
    onDone: ({ mail }) =>
      note(
        mail === 'sent'
          ? `A new link is on its way to ${email}.`
          : 'This service does not send mail. Ask the operator to verify your address.',
      ),
  });

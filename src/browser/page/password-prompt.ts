// A page that asks for a password is shown as it looks to a reader who gives none. headless-shell does so by itself; a full
// Chromium would fail with ERR_INVALID_AUTH_CREDENTIALS. This makes it pause every document request, so it is not used with
// headless-shell.
import type { CdpSession } from '#browser/process/cdp.ts';
import { ignore } from '#browser/page/page-sessions.ts';

export async function refusePasswordPrompts(session: CdpSession, signal: AbortSignal): Promise<void> {
  session.on('Fetch.requestPaused', ({ requestId }) =>
    ignore(session.send('Fetch.continueRequest', { requestId })),
  );
  session.on('Fetch.authRequired', ({ requestId }) =>
    ignore(
      session.send('Fetch.continueWithAuth', {
        requestId,
        authChallengeResponse: { response: 'CancelAuth' },
      }),
    ),
  );
  const patterns = [{ urlPattern: '*', resourceType: 'Document' as const }];
  await session.send('Fetch.enable', { handleAuthRequests: true, patterns }, signal);
}

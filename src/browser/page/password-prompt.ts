// A page that asks for a password is shown as a reader sees it who gives none. headless-shell does so by itself; a full Chromium would
// fail with ERR_INVALID_AUTH_CREDENTIALS. It has to ask for every document then, so headless-shell is spared this.
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

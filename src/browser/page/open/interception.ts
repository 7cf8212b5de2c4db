// The only place that pauses a page's requests (`Fetch.enable`: a second call would replace the first): answers documents and files
// of the request, adds secret headers, answers or refuses password prompts, and refuses blocked kinds. v2 2 (source, access, page). A
// paused request holds the page's clock. Nothing is paused if a job needs none of it.
import type { Protocol } from 'devtools-protocol';
import { createTurns, type InTurn } from '#core/turns.ts';
import type { BlockedKind } from '#browser/job.ts';
import type { CdpSession } from '#browser/process/cdp.ts';
import type { Secrets } from '#browser/page/open/access.ts';
import { followAskers } from '#browser/page/open/askers.ts';
import type { Page } from '#browser/page/page.ts';
import { ignore } from '#browser/page/page-sessions.ts';

export interface InterceptionRules {
  answers: Answers | null;
  secrets: Secrets | null;
  blockedKinds: BlockedKind[];
}

/** What is answered here instead of by a server. */
export interface Answers {
  /** The addresses that are answered; see `literally`. */
  patterns: string[];
  find(url: string): Answer | undefined;
}

export interface Answer {
  status: number;
  contentType: string;
  read(): Promise<Buffer>;
}

type Paused = Protocol.Fetch.RequestPausedEvent;
type Pattern = Protocol.Fetch.RequestPattern;

const typeOf = { images: 'Image', media: 'Media', fonts: 'Font' } as const;
// A page may request a file of 20 MB a thousand times at once.
const answersAtOnce = 2;

/** Before the page is opened. */
export async function intercept(page: Page, rules: InterceptionRules): Promise<void> {
  const { answers, secrets, blockedKinds } = rules;
  const { session, frameId, promptsForPasswords } = page;
  const inTurn = createTurns(answersAtOnce);
  const askers = secrets && followAskers(session, frameId, secrets.isOwn);
  page.prepareChildren((child, { type, url }) => {
    // A dedicated worker's requests are paused in the session of its page; a shared worker's cannot be.
    if (type === 'worker') askers?.follow(child);
    if (type !== 'iframe' && type !== 'service_worker') return;
    const isOwn = type === 'service_worker' && secrets?.isOwn(url) === true;
    ignore(
      interceptSession(child, {
        answers,
        blockedKinds,
        inTurn,
        secrets: isOwn ? secrets : null,
        // A frame of another origin may open a document that the service worker then asks for.
        mayHaveSecrets: ({ request }) => askers?.isOwnPage === true && !isForDocument(request),
        refusesPasswords: false,
      }),
    );
  });
  await interceptSession(session, {
    ...rules,
    inTurn,
    mayHaveSecrets: (paused) => askers?.isOwn(paused) === true,
    refusesPasswords: promptsForPasswords,
  });
}

/** Service workers pass such a request on as any other, but for this header, which only requests for documents have. */
const isForDocument = ({ headers }: Protocol.Network.Request): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === 'upgrade-insecure-requests');

interface SessionRules extends InterceptionRules {
  inTurn: InTurn;
  mayHaveSecrets: (paused: Paused) => boolean;
  refusesPasswords: boolean;
}

async function interceptSession(
  session: CdpSession,
  { answers, secrets, blockedKinds, inTurn, mayHaveSecrets, refusesPasswords }: SessionRules,
): Promise<void> {
  const patterns: Pattern[] = [
    ...(answers?.patterns ?? []).map((urlPattern) => ({ urlPattern })),
    ...(secrets?.origins ?? []).map((origin) => ({ urlPattern: `${literally(origin)}/*` })),
    ...blockedKinds.map((kind) => ({ urlPattern: '*', resourceType: typeOf[kind] })),
    ...(refusesPasswords ? [{ urlPattern: '*', resourceType: 'Document' as const }] : []),
  ];
  if (patterns.length === 0) return;
  const blocked: ReadonlySet<string> = new Set(blockedKinds.map((kind) => typeOf[kind]));

  async function decide(paused: Paused): Promise<void> {
    const { requestId, request, resourceType } = paused;
    if (blocked.has(resourceType))
      return session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
    const answer = answers?.find(request.url);
    if (answer) return inTurn(() => fulfil(session, requestId, answer));
    const headers = mayHaveSecrets(paused) ? secrets?.headersFor(request) : undefined;
    return session.send('Fetch.continueRequest', { requestId, ...(headers && { headers }) });
  }

  session.on('Fetch.requestPaused', (paused) => {
    // A pause without an answer would hold the page until its deadline.
    decide(paused).catch(() =>
      ignore(session.send('Fetch.failRequest', { requestId: paused.requestId, errorReason: 'Failed' })),
    );
  });
  session.on('Fetch.authRequired', ({ requestId }) => {
    // The page is shown as it looks to a reader who gives no password, or a wrong one.
    const authChallengeResponse = { response: 'CancelAuth' as const };
    ignore(session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }));
  });
  await session.send('Fetch.enable', { patterns, handleAuthRequests: refusesPasswords });
}

async function fulfil(session: CdpSession, requestId: string, answer: Answer): Promise<void> {
  const body = await answer.read();
  await session.send('Fetch.fulfillRequest', {
    requestId,
    responseCode: answer.status,
    responseHeaders: [{ name: 'content-type', value: answer.contentType }],
    body: body.toString('base64'),
  });
}

/** A pattern that matches this address and no other: in a pattern, `*` and `?` stand for any text. */
export const literally = (url: string): string => url.replace(/[\\*?]/g, String.raw`\$&`);

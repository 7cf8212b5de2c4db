// The only place that pauses a page's requests (`Fetch.enable`: a second call would replace the first): answers documents and files
// of the request, adds secret headers, answers or refuses password prompts, and refuses blocked kinds. v2 2 (source, access, page). A
// paused request holds the page's clock. Nothing is paused if a job needs none of it.
import type { Protocol } from 'devtools-protocol';
import { createTurns, type InTurn } from '#core/turns.ts';
import type { BlockedKind } from '#browser/job.ts';
import type { CdpSession } from '#browser/process/cdp.ts';
import type { Secrets } from '#browser/page/access.ts';
import type { Page } from '#browser/page/page.ts';
import { ignore } from '#browser/page/page-sessions.ts';

export interface InterceptionRules {
  answers: Answers | null;
  secrets: Secrets | null;
  blockedKinds: BlockedKind[];
}

/** What is answered here instead of by a server. */
export interface Answers {
  /** Of addresses; see `literally`. */
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
  const inTurn = createTurns(answersAtOnce);
  page.prepareChildren((child, { type, url }) => {
    // A dedicated worker's requests are paused in the session of its page; a shared worker's cannot be.
    if (type !== 'iframe' && type !== 'service_worker') return;
    // A third party must not make requests with the caller's secrets.
    const secrets = type === 'service_worker' && rules.secrets?.isOwn(url) === true ? rules.secrets : null;
    ignore(
      interceptSession(child, { ...rules, secrets }, { inTurn, mainFrameId: null, refusesPasswords: false }),
    );
  });
  const { session, frameId, promptsForPasswords } = page;
  await interceptSession(session, rules, {
    inTurn,
    mainFrameId: frameId,
    refusesPasswords: promptsForPasswords,
  });
}

interface SessionOptions {
  inTurn: InTurn;
  /** Null in sessions that do not have it. */
  mainFrameId: string | null;
  refusesPasswords: boolean;
}

async function interceptSession(
  session: CdpSession,
  { answers, secrets, blockedKinds }: InterceptionRules,
  { inTurn, mainFrameId, refusesPasswords }: SessionOptions,
): Promise<void> {
  const seesDocuments = refusesPasswords || (secrets !== null && mainFrameId !== null);
  const patterns: Pattern[] = [
    ...(answers?.patterns ?? []).map((urlPattern) => ({ urlPattern })),
    ...(secrets?.origins ?? []).map((origin) => ({ urlPattern: `${literally(origin)}/*` })),
    ...blockedKinds.map((kind) => ({ urlPattern: '*', resourceType: typeOf[kind] })),
    ...(seesDocuments ? [{ urlPattern: '*', resourceType: 'Document' as const }] : []),
  ];
  if (patterns.length === 0) return;
  const blocked: ReadonlySet<string> = new Set(blockedKinds.map((kind) => typeOf[kind]));
  const prompted = new Set<string>();
  // Of the main frame. Once that has gone to a third party, what the page asks for is no longer the caller's wish.
  let isOwnPage = true;

  async function decide({ requestId, request, resourceType, frameId }: Paused): Promise<void> {
    if (resourceType === 'Document' && frameId === mainFrameId)
      isOwnPage = secrets?.isOwn(request.url) === true;
    if (blocked.has(resourceType))
      return session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
    const answer = answers?.find(request.url);
    if (answer) return inTurn(() => fulfil(session, requestId, answer));
    const headers = isOwnPage ? secrets?.headersFor(request) : undefined;
    return session.send('Fetch.continueRequest', { requestId, ...(headers && { headers }) });
  }

  session.on('Fetch.requestPaused', (paused) => {
    // A pause without an answer would hold the page until its deadline.
    decide(paused).catch(() =>
      ignore(session.send('Fetch.failRequest', { requestId: paused.requestId, errorReason: 'Failed' })),
    );
  });
  session.on('Fetch.authRequired', ({ requestId, authChallenge }) => {
    // The browser asks without end for as long as the password is wrong.
    const isFirst = !prompted.has(requestId);
    prompted.add(requestId);
    const credentials = isFirst && isOwnPage ? secrets?.credentialsFor(authChallenge) : undefined;
    // Without a password, the page is shown as it looks to a reader who gives none.
    const authChallengeResponse = credentials
      ? { response: 'ProvideCredentials' as const, ...credentials }
      : { response: 'CancelAuth' as const };
    ignore(session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }));
  });
  const handleAuthRequests = refusesPasswords || secrets?.hasCredentials === true;
  await session.send('Fetch.enable', { patterns, handleAuthRequests });
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

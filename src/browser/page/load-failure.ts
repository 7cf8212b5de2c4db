// Explains to the client why a page could not be loaded, from the network's error and from what the egress proxy denied.
import type { Door } from '#wall/door.ts';
import type { RefusalKind } from '#wall/door-ledger.ts';
import { egressHeader } from '#wall/proxy-message.ts';
import { RenderFailure } from '#browser/browser.ts';
import type { RenderFailureReason } from '#browser/browser.ts';
import type { FailureClassifier } from '#browser/page/main-frame.ts';

const errors: Record<string, [RenderFailureReason, string]> = {
  NAME_NOT_RESOLVED: ['unresolved', 'its name does not resolve'],
  NAME_RESOLUTION_FAILED: ['unresolved', 'its name does not resolve'],
  CONNECTION_REFUSED: ['unreachable', 'it refused the connection'],
  CONNECTION_RESET: ['unreachable', 'it closed the connection early'],
  CONNECTION_CLOSED: ['unreachable', 'it closed the connection early'],
  CONNECTION_ABORTED: ['unreachable', 'it closed the connection early'],
  EMPTY_RESPONSE: ['unreachable', 'it closed the connection without an answer'],
  CONNECTION_TIMED_OUT: ['unreachable', 'it did not answer'],
  TIMED_OUT: ['unreachable', 'it did not answer'],
  ADDRESS_UNREACHABLE: ['unreachable', 'it is out of reach'],
  TUNNEL_CONNECTION_FAILED: ['unreachable', 'no connection could be made'],
  PROXY_CONNECTION_FAILED: ['unreachable', 'no connection could be made'],
  TOO_MANY_REDIRECTS: ['unreachable', 'it redirects without end'],
  UNSAFE_PORT: ['unreachable', 'browsers refuse its port'],
  UNSAFE_REDIRECT: ['unreachable', 'it redirects to something that is not a web page'],
  UNKNOWN_URL_SCHEME: ['unreachable', 'it redirects to something that is not a web page'],
  INVALID_RESPONSE: ['unreachable', 'its answer is not valid HTTP'],
  INVALID_HTTP_RESPONSE: ['unreachable', 'its answer is not valid HTTP'],
  RESPONSE_HEADERS_TRUNCATED: ['unreachable', 'its answer is not valid HTTP'],
};

const refusals: Record<RefusalKind, [RenderFailureReason, string]> = {
  denied: ['denied', 'is not a public address'],
  blocked: ['denied', 'is a host that this request blocks'],
  unresolved: ['unresolved', 'could not be loaded: its name does not resolve'],
  unreachable: ['unreachable', 'could not be loaded: it cannot be reached'],
  exhausted: ['too_large', 'exceeded the limits of a render'],
};

export function createFailureClassifier(door: Door): FailureClassifier {
  return {
    ofError(errorText, url) {
      const code = errorText.replace(/^net::ERR_/, '');
      // An error page with an empty body is still the page that the site returns.
      if (code === 'HTTP_RESPONSE_CODE_FAILURE') return undefined;
      const refusal = refusalOf(door, url);
      if (refusal) return refusal;
      const [reason, words] = errors[code] ?? [
        'unreachable' as const,
        code.startsWith('CERT_') || code.startsWith('SSL_')
          ? 'its certificate or encryption is not valid'
          : 'the connection failed',
      ];
      return new RenderFailure(reason, `${hostOf(url)} could not be loaded: ${words}`, { cause: errorText });
    },
    ofAnswer(headers, url) {
      // The door drops this header from every response except its own. Inside a tunnel it cannot, so a page could forge it there.
      if (!url.startsWith('http:')) return undefined;
      const isRefusal = Object.keys(headers).some((name) => name.toLowerCase() === egressHeader);
      if (!isRefusal) return undefined;
      return (
        refusalOf(door, url) ?? new RenderFailure('too_large', 'the page exceeded the limits of a render')
      );
    },
  };
}

/** What the proxy reports about this address; the network's error text does not contain it. */
function refusalOf(door: Door, url: string): RenderFailure | undefined {
  const refusal = door.refusalOf(url);
  if (refusal === undefined) return undefined;
  const [reason, words] = refusals[refusal.kind];
  return new RenderFailure(reason, `${hostOf(url)} ${words}`, { cause: refusal.reason });
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'the page';
}

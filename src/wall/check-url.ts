// Checks a URL that a client wrote, for every field that takes one, and names the reason for a refusal at once. This is a
// convenience for the client: the connecting code decides again and dials only the addresses that were decided on.
import { invalid } from '#core/errors.ts';
import type { EgressRules, Verdict } from '#wall/rules.ts';
import type { WayOut } from '#wall/ways-out.ts';

const maxCharacters = 8_192;
const shownCharacters = 100;

export interface CheckedUrl {
  /** As `URL` writes it. */
  url: URL;
  /** Looks up the host name, if there is one. Throws if an address is not public. */
  decide(signal: AbortSignal): Promise<Verdict>;
}

/** Refuses what `URL` would silently correct before the path, because the target would then differ from the text. */
export function checkUrl(
  text: string,
  rules: EgressRules,
  field: string,
  { schemes, isSecret, isOfDelivery }: Pick<WayOut, 'schemes' | 'isSecret' | 'isOfDelivery'>,
): CheckedUrl {
  // Messages are kept in the request log.
  const refuse = (reason: string, meant = '') =>
    invalid(
      field,
      isSecret ? reason : `${reason}; sent ${quote(text)}${meant}`,
      isOfDelivery && { isOfDelivery },
    );
  const refuseDenied = (verdict: Verdict | undefined) => {
    if (verdict?.kind === 'denied') throw refuse(`must be a public address: ${verdict.reason}`);
  };

  if (text.length > maxCharacters) throw refuse(`must be at most ${maxCharacters} characters`);
  if (/^\s|\s$|[\u0000-\u001f\u007f]/.test(text))
    throw refuse('must not contain control characters, or spaces at either end');
  const [, scheme = '', authority] = /^(https?):\/\/([^/?#]*)/i.exec(text) ?? [];
  if (authority === undefined || !schemes.some((known) => known === scheme.toLowerCase()))
    throw refuse(
      `must be an absolute ${schemes.map((known) => `${known}://`).join(' or ')} address`,
      meantBy(text),
    );
  if (/^[^?#]*\\/.test(text)) throw refuse('must not contain backslashes');
  if (authority.includes('@')) throw refuse('must not contain a user name or password');
  const url = authority === '' ? null : URL.parse(text);
  if (url === null) throw refuse('is not a valid URL');

  const defaultPort = url.protocol === 'https:' ? 443 : 80;
  const port = url.port === '' ? defaultPort : Number(url.port);
  const byName = rules.decideByName(url.hostname, port);
  refuseDenied(byName);
  return {
    url,
    async decide(signal) {
      const verdict = byName ?? (await rules.decide(url.hostname, port, signal));
      refuseDenied(verdict);
      return verdict;
    },
  };
}

/** Many leave out the scheme, because browsers take the rest. */
const meantBy = (text: string): string =>
  /^[\w-]+(?:\.[\w-]+)+(?:[:/?#]|$)/.test(text) && !text.includes('@')
    ? `; did you mean ${quote(`https://${text}`)}?`
    : '';

/** Short, on one line, with invisible characters escaped, and without what may be secret. */
function quote(text: string): string {
  const known = withoutSecrets(text);
  const shown = known.slice(0, shownCharacters);
  const visible = shown.replace(
    /[\p{C}\p{Zl}\p{Zp}"\\]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
  return `"${visible}${known.length > shown.length ? '…' : ''}"`;
}

/** A password may be before the last `@`, anything in the query string and the fragment. A password may have their signs, and they an `@`. */
function withoutSecrets(text: string): string {
  const [, scheme = '', userinfo = '', rest = ''] = /^(https?:\/\/)?(.*@)?(.*)$/is.exec(text) ?? [];
  if (/[?#]/.test(userinfo)) return `${scheme}…`;
  return scheme + (userinfo === '' ? '' : '…@') + rest.replace(/([?#]).*$/s, '$1…');
}

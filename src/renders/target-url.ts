// The request-time rule for `url`: says at once, in a message that names the reason, what the egress proxy would refuse
// anyway. A courtesy to the caller; the proxy is the wall. Spec 4.3, 4.4; design section 4.
import type { EgressRules } from '#browser/egress/rules.ts';
import { invalid } from '#core/errors.ts';

const maxCharacters = 8_192;
const shownCharacters = 100;

/**
 * Returns the canonical URL to navigate to. What `URL` would mend in silence in front of the path is refused, because
 * then the target is not what the text says. A name that does not resolve is no fault of the request: the render fails.
 */
export async function checkTarget(text: string, rules: EgressRules): Promise<string> {
  const refuse = (reason: string) => invalid('url', `${reason}; sent ${quote(text)}`);

  if (text.length > maxCharacters) throw refuse(`must be at most ${maxCharacters} characters`);
  if (/^\s|\s$|[\u0000-\u001f\u007f]/.test(text))
    throw refuse('must not contain control characters or outer spaces');
  const [, authority] = /^https?:\/\/([^/?#]*)/i.exec(text) ?? [];
  if (authority === undefined) throw refuse('must be an absolute http:// or https:// address');
  if (/^[^?#]*\\/.test(text)) throw refuse('must not contain backslashes');
  if (authority.includes('@')) throw refuse('must not contain a user name or password');
  const url = authority === '' ? null : URL.parse(text);
  if (url === null) throw refuse('is not a valid URL');

  const defaultPort = url.protocol === 'https:' ? 443 : 80;
  const verdict = await rules.decide(url.hostname, url.port === '' ? defaultPort : Number(url.port));
  if (verdict.kind === 'denied') throw refuse(`must be a public address: ${verdict.reason}`);
  return url.href;
}

/** Bounded, on one line, visible, and without anything that may be a password: all before the last `@` is left out. */
function quote(text: string): string {
  const withoutUserinfo = text.replace(/^(https?:\/\/)?.*@/is, '$1…@');
  const shown = withoutUserinfo.slice(0, shownCharacters);
  const visible = shown.replace(
    /[\p{C}\p{Zl}\p{Zp}"\\]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
  return `"${visible}${withoutUserinfo.length > shown.length ? '…' : ''}"`;
}

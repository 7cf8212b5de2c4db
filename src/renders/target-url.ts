// The request-time rule for `url`: says at once, in a message that names the reason, what the egress proxy would refuse
// anyway. A courtesy to the caller; the proxy is the wall. Spec 4.3, 4.4.
import { RenderFailure } from '#browser/browser.ts';
import type { EgressRules, Verdict } from '#browser/egress/rules.ts';
import { invalid } from '#core/errors.ts';

const maxCharacters = 8_192;
const shownCharacters = 100;

export interface Target {
  /** The canonical URL to navigate to. */
  href: string;
  /**
   * Looks the name up, where there is one: refuses the request when an address is not public, and fails the render when there is
   * none. A look-up may take seconds, so it belongs behind the capture slot: then the plan's cap bounds them too.
   */
  resolve(signal: AbortSignal): Promise<void>;
}

/** What `URL` would mend in silence in front of the path is refused, because then the target is not what the text says. */
export function checkTarget(text: string, rules: EgressRules): Target {
  const refuse = (reason: string) => invalid('url', `${reason}; sent ${quote(text)}`);
  const refuseDenied = (verdict: Verdict | undefined) => {
    if (verdict?.kind === 'denied') throw refuse(`must be a public address: ${verdict.reason}`);
  };

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
  const port = url.port === '' ? defaultPort : Number(url.port);
  const judged = rules.decideByName(url.hostname, port);
  refuseDenied(judged);
  return {
    href: url.href,
    async resolve(signal) {
      const verdict = judged ?? (await rules.decide(url.hostname, port, signal));
      refuseDenied(verdict);
      if (verdict.kind === 'unresolved' && !signal.aborted)
        throw new RenderFailure('unresolved', `${url.host} could not be loaded: its name does not resolve`, {
          cause: verdict.reason,
        });
    },
  };
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

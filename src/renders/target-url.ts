// Validates `url` when the request arrives, and names the reason for a refusal at once. This is a convenience for the caller: the
// egress proxy enforces the rule. Spec 4.3, 4.4.
import { RenderFailure } from '#browser/browser.ts';
import type { EgressRules, Verdict } from '#browser/egress/rules.ts';
import { invalid } from '#core/errors.ts';

const maxCharacters = 8_192;
const shownCharacters = 100;

export interface Target {
  /** The canonical URL to navigate to. */
  href: string;
  /**
   * Looks up the host name, if there is one. Refuses the request if an address is not public, and fails the render if there is
   * none. A look-up may take seconds, so call it while holding the capture slot: the plan's cap then bounds look-ups too.
   */
  resolve(signal: AbortSignal): Promise<void>;
}

/** Refuses what `URL` would silently correct before the path, because the target would then differ from the text. */
export function checkTarget(text: string, rules: EgressRules): Target {
  const refuse = (reason: string) => invalid('url', `${reason}; sent ${quote(text)}`);
  const refuseDenied = (verdict: Verdict | undefined) => {
    if (verdict?.kind === 'denied') throw refuse(`must be a public address: ${verdict.reason}`);
  };

  if (text.length > maxCharacters) throw refuse(`must be at most ${maxCharacters} characters`);
  if (/^\s|\s$|[\u0000-\u001f\u007f]/.test(text))
    throw refuse('must not contain control characters, or spaces at either end');
  const [, authority] = /^https?:\/\/([^/?#]*)/i.exec(text) ?? [];
  if (authority === undefined) throw refuse('must be an absolute http:// or https:// address');
  if (/^[^?#]*\\/.test(text)) throw refuse('must not contain backslashes');
  if (authority.includes('@')) throw refuse('must not contain a user name or password');
  const url = authority === '' ? null : URL.parse(text);
  if (url === null) throw refuse('is not a valid URL');

  const defaultPort = url.protocol === 'https:' ? 443 : 80;
  const port = url.port === '' ? defaultPort : Number(url.port);
  const byName = rules.decideByName(url.hostname, port);
  refuseDenied(byName);
  return {
    href: url.href,
    async resolve(signal) {
      const verdict = byName ?? (await rules.decide(url.hostname, port, signal));
      refuseDenied(verdict);
      if (verdict.kind === 'unresolved' && !signal.aborted)
        throw new RenderFailure('unresolved', `${url.host} could not be loaded: its name does not resolve`, {
          cause: verdict.reason,
        });
    },
  };
}

/** Short, on one line, with invisible characters escaped, and without a possible password: everything before the last `@` is left out. */
function quote(text: string): string {
  const withoutUserinfo = text.replace(/^(https?:\/\/)?.*@/is, '$1…@');
  const shown = withoutUserinfo.slice(0, shownCharacters);
  const visible = shown.replace(
    /[\p{C}\p{Zl}\p{Zp}"\\]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
  return `"${visible}${withoutUserinfo.length > shown.length ? '…' : ''}"`;
}

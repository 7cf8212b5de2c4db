// Validates `url` when the request arrives, and names the reason for a refusal at once. This is a convenience for the caller: the
// egress proxy enforces the rule. Spec 4.3, 4.4.
import { checkUrl } from '#wall/check-url.ts';
import type { EgressRules } from '#wall/rules.ts';
import { waysOut } from '#wall/ways-out.ts';
import { RenderFailure } from '#browser/browser.ts';
import type { Task } from '#browser/job.ts';
import { documentTarget } from '#renders/stored-render.ts';

export interface Target {
  /** The canonical URL to navigate to. */
  href: string;
  /**
   * Looks up the host name, if there is one. Refuses the request if an address is not public, and fails the render if there is
   * none. A look-up may take seconds, so call it while holding the capture slot: the plan's cap then bounds look-ups too.
   */
  resolve(signal: AbortSignal): Promise<void>;
}

/** The target of a render: its page, or the address that a document has. Without network, that address is not looked up either. */
export function targetOf({ source, changes }: Pick<Task, 'source' | 'changes'>, rules: EgressRules): Target {
  if (source.kind === 'url') return checkTarget(source.url, rules);
  if (source.baseUrl === null) return { href: documentTarget(source.kind), resolve: async () => {} };
  const target = checkTarget(source.baseUrl, rules, 'base_url');
  if (changes.network === 'none') return { ...target, resolve: async () => {} };
  return {
    ...target,
    async resolve(signal) {
      await target.resolve(signal).catch((error: unknown) => {
        // The document came with the request: its host need not exist.
        if (!(error instanceof RenderFailure)) throw error;
      });
    },
  };
}

export function checkTarget(text: string, rules: EgressRules, field = 'url'): Target {
  const { url, decide } = checkUrl(text, rules, field, waysOut.page);
  return {
    href: url.href,
    async resolve(signal) {
      const verdict = await decide(signal);
      if (verdict.kind === 'unresolved' && !signal.aborted)
        throw new RenderFailure('unresolved', `${url.host} could not be loaded: its name does not resolve`, {
          cause: verdict.reason,
        });
    },
  };
}

// When a link expires: one rule for uploads, changed uploads and hosted renders. Spec 3, 4.1.
import { limits } from '#core/limits.ts';
import type { Plan } from '#accounts/plans.ts';

type LinkPlan = Pick<Plan, 'max_link_seconds'>;

/** The expiry of a new link; null for never. A plan's cap is also its default. */
export function newExpiry(plan: LinkPlan, expiresInSeconds: number | undefined, now: number): number | null {
  return timeOrNever(now + Math.min(expiresInSeconds ?? Infinity, capSeconds(plan)) * 1000);
}

/**
 * The expiry of a link whose owner changes it; null asks for none. The plan's cap counts from the upload, so extending a link
 * again and again cannot keep it for ever. A link that still resolves after a change to a plan with a shorter cap keeps at least
 * one more minute, or the cap if that is shorter.
 */
export function changedExpiry(
  plan: LinkPlan,
  expiresInSeconds: number | null,
  createdAt: number,
  now: number,
): number | null {
  const wanted = now + (expiresInSeconds ?? Infinity) * 1000;
  const latest = createdAt + capSeconds(plan) * 1000;
  const soonest = now + Math.min(limits.expiresInSeconds.min, capSeconds(plan)) * 1000;
  return timeOrNever(Math.min(wanted, Math.max(latest, soonest)));
}

const capSeconds = ({ max_link_seconds }: LinkPlan): number => max_link_seconds ?? Infinity;

const timeOrNever = (at: number): number | null => (Number.isFinite(at) ? at : null);

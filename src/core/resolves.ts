// Decides whether a hosted file still resolves. Every route that serves one uses this check. Spec 3.

export interface Hosted {
  deleted_at: number | null;
  expires_at: number | null;
  owner_suspended: number;
}

export function resolves(thing: Hosted, now: number): boolean {
  if (thing.deleted_at !== null || thing.owner_suspended === 1) return false;
  return thing.expires_at === null || thing.expires_at > now;
}

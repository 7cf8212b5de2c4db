// The moment at which an e-mail address is proven. Until then anyone could have made the account and left something in it to come
// back with, so whatever signs in or acts, and is not part of the proof itself, ends in the same transaction.
import type { Tables } from '#storage/database.ts';
import type { AccountRow } from '#storage/schema.ts';

interface Kept {
  /** The session in which the link was followed. */
  sessionId?: string;
  /** The password or provider that this session began with, or the password that the link has just set. */
  password: boolean;
}

export async function proveAddress(
  tables: Tables,
  { id, verified }: Pick<AccountRow, 'id' | 'verified'>,
  { email, kept, now }: { email: string; kept: Kept; now: number },
): Promise<void> {
  if (verified === 0) {
    await tables.ownedBy(id).keys.revokeAll(now);
    await tables.ownedBy(id).linkKeys.removeAll();
    await tables.ownedBy(id).uploadLinks.removeAll();
    await tables.ownedBy(id).webhooks.removeAll();
    await tables.people.endSecondFactors(id);
    await tables.people.endSessions(id, kept.sessionId);
    if (!kept.password) await tables.people.endCredentials(id);
    else await tables.people.endProviderLinks(id);
  }
  // Links were sent to the address that the account had, or may have been asked for by another person.
  await tables.people.endLinks(id);
  await tables.people.setProvenEmail(id, email);
  await tables.accounts.update(id, { email, verified: 1 });
}

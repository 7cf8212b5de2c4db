// One row of the audit log for each action of an owner, written in the same transaction as the action, and for what an owner should know.
import { newId } from '#core/ids.ts';
import type { Tables } from '#storage/database.ts';
import type { AccountRow } from '#storage/schema.ts';

interface Act {
  action: string;
  /** The account that was acted on. */
  target?: AccountRow | undefined;
  detail: object;
}

export function recordAct(
  tables: Tables,
  actor: AccountRow,
  now: number,
  { action, target, detail }: Act,
): Promise<void> {
  return tables.auditLog.insert({
    id: newId(),
    actor_id: actor.id,
    actor_email: actor.email,
    action,
    target_id: target?.id ?? null,
    target_email: target?.email ?? null,
    detail: JSON.stringify(detail),
    created_at: now,
  });
}

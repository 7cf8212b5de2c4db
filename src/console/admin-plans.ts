// The owner's page of plans.
import type { DashboardParts, Handlers } from '#console/serve.ts';

export function adminPlansHandlers({ accounts: { planEditing } }: DashboardParts) {
  const list = async () => ({
    items: (await planEditing.list()).map(({ plan, source, isBuiltIn, accounts }) => ({
      ...plan,
      /** A plan of the file PLANS_FILE cannot be changed here. */
      source,
      /** A built-in one cannot be deleted; if it was changed, deleting resets it. */
      built_in: isBuiltIn,
      /** How many have it. */
      accounts,
    })),
  });

  return {
    'GET /admin/plans': list,
    'POST /admin/plans': async ({ person, body }) => planEditing.create(person.account, body),
    'PATCH /admin/plans/:id': async ({ person, id, body }) => planEditing.change(person.account, id, body),
    async 'DELETE /admin/plans/:id'({ person, id }) {
      await planEditing.remove(person.account, id);
      return { done: true };
    },
  } satisfies Partial<Handlers>;
}

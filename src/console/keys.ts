// The API keys page, and integrations, each of which creates its own key.
import { limits } from '#core/limits.ts';
import type { Owned } from '#storage/owned/owned.ts';
import type { ApiKeyRow } from '#storage/schema.ts';
import { dayOf } from '#storage/tables/usage.ts';
import { integrations } from '#console/integrations.ts';
import type { DashboardParts, Handlers } from '#console/serve.ts';
import { found } from '#console/errors.ts';
import { isoTime } from '#api/common-views.ts';
import { keyView, type Key, type KeyUses, unusedKey } from '#console/views.ts';
import { firstDayOfMonth } from '#metering/quota.ts';

const usesOverDays = 30;

export function keysHandlers({ clock, settings, accounts: { keys, authentication } }: DashboardParts) {
  async function view(owned: Owned, row: ApiKeyRow): Promise<Key> {
    return keyView(row, (await usesOf(owned)).get(row.id) ?? unusedKey, clock.now());
  }

  async function usesOf(owned: Owned): Promise<Map<string, KeyUses>> {
    const now = clock.now();
    const all = new Map<string, KeyUses>();
    const firstDays = { uses: dayOf(now) - usesOverDays + 1, month: firstDayOfMonth(now) };
    for (const period of ['uses', 'month'] as const) {
      for (const { key_id, unit, used } of await owned.usage.byKey(firstDays[period])) {
        const known = all.get(key_id) ?? unusedKey;
        all.set(key_id, { ...known, [period]: { ...known[period], [unit]: used } });
      }
    }
    return all;
  }

  return {
    async 'GET /keys'({ owned }) {
      await authentication.flushLastUsed();
      const uses = await usesOf(owned);
      const rows = await owned.keys.list();
      const addresses = await owned.keys.addresses();
      return {
        items: rows.map((row) => ({
          ...keyView(row, uses.get(row.id) ?? unusedKey, clock.now()),
          /** Where it was used from, the newest first. */
          addresses: addresses
            .filter(({ key_id }) => key_id === row.id)
            .map(({ address, last_used_at }) => ({ address, last_used_at: isoTime(last_used_at) })),
        })),
        limit: limits.keysPerAccount,
      };
    },
    async 'POST /keys'({ owned, body }) {
      const { name, scope = 'all', expires_at, uploads_per_month, renders_per_month } = body;
      const { secret, row } = await keys.create(owned.accountId, {
        name,
        scope,
        expiresAt: expires_at === undefined ? null : Date.parse(expires_at),
        uploadsPerMonth: uploads_per_month ?? null,
        rendersPerMonth: renders_per_month ?? null,
      });
      return { secret, key: keyView(row, unusedKey, clock.now()) };
    },
    async 'PATCH /keys/:id'({ owned, id, body }) {
      return view(owned, found(await owned.keys.update(id, body)));
    },
    async 'POST /keys/:id/rotate'({ owned, id, body }) {
      const { secret, row } = found(await keys.rotate(owned.accountId, id, body.grace_seconds));
      return { secret, key: keyView(row, unusedKey, clock.now()) };
    },
    async 'POST /keys/:id/revoke'({ owned, id }) {
      return view(owned, found(await keys.revoke(owned.accountId, id)));
    },
    async 'POST /integrations'({ owned, body: { tool } }) {
      const { name, scope, make } = integrations[tool];
      const { secret, row } = await keys.create(owned.accountId, { name, scope, expiresAt: null });
      return { ...make(settings.baseUrl, secret), key: keyView(row, unusedKey, clock.now()) };
    },
  } satisfies Partial<Handlers>;
}

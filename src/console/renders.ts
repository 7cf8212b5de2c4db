// The renders page.
import type { Static } from 'typebox';
import { pageOptions } from '#storage/owned/cursor.ts';
import type { Owned } from '#storage/owned/owned.ts';
import type { RenderHistory } from '#renders/render-history.ts';
import type { Addresses } from '#http/addresses.ts';
import { found } from '#console/errors.ts';
import { deletedShown, sendThumbnail } from '#console/uploads.ts';
import type { DashboardRendersQuery } from '#console/schemas/files.ts';
import type { DashboardParts, Handlers } from '#console/serve.ts';
import { notFound } from '#core/errors.ts';
import { renderFilterOf } from '#api/account/renders.ts';
import { isoTime, toPage } from '#api/common-views.ts';
import { pictureOf, renderView } from '#console/views.ts';

export function rendersHandlers({ clock, settings, accounts: { plans }, renders }: DashboardParts) {
  const { hostedRenders, renderJobs, renderHistory, renderVariants, renderBlobs } = renders;
  /** Those that wait or run are canceled first. */
  async function deleteAll(accountId: string, ids: string[]): Promise<string[]> {
    await renderJobs.cancel(accountId, ids);
    return found(await hostedRenders.binOwned(accountId, ids));
  }

  return {
    'GET /renders': ({ owned, query }) => listRenders(settings, owned, query, clock.now(), renderHistory),
    async 'GET /renders/:id'({ owned, id }) {
      const now = clock.now();
      const row = found(await owned.renders.byId(id, now));
      return renderView(settings, row, now, await renderHistory.queuedOf([row]));
    },
    async 'GET /renders/:id/thumbnail'({ owned, id, reply }) {
      const now = clock.now();
      const row = await owned.renders.byId(id, now);
      const picture = row && pictureOf(row, now);
      if (!picture) throw notFound();
      return sendThumbnail(reply, { variants: renderVariants, blobs: renderBlobs }, picture, picture.url);
    },
    async 'POST /renders/:id/host'({ owned, person, id }) {
      const plan = plans.of(person.account);
      const row = found(await hostedRenders.host(owned.accountId, plan, id));
      return renderView(settings, row, clock.now());
    },
    async 'GET /renders/ids'({ owned, query }) {
      return { ids: await owned.renders.idsOf(renderFilterOf(query), clock.now()) };
    },
    async 'GET /renders/deleted'({ owned }) {
      const rows = await owned.renders.restorable(clock.now(), deletedShown);
      return {
        items: rows.map(({ id, target, size_bytes, deleted_at }) => ({
          id,
          target,
          size_bytes,
          restorable_until: isoTime(deleted_at ?? 0),
        })),
      };
    },
    'POST /renders/restore': async ({ owned, body }) => ({
      restored: found(await hostedRenders.restoreOwned(owned.accountId, body.ids)),
    }),
    'POST /renders/purge': async ({ owned, body }) => ({
      deleted: found(await hostedRenders.purgeDeleted(owned.accountId, body.ids)),
    }),
    'POST /renders/delete': async ({ owned, body }) => ({
      deleted: await deleteAll(owned.accountId, body.ids),
    }),
    'DELETE /renders/:id': async ({ owned, id }) => ({ deleted: await deleteAll(owned.accountId, [id]) }),
  } satisfies Partial<Handlers>;
}

/** A page of the account's renders, newest first. */
async function listRenders(
  addresses: Addresses,
  owned: Owned,
  query: Static<typeof DashboardRendersQuery>,
  now: number,
  { queuedOf }: Pick<RenderHistory, 'queuedOf'>,
) {
  const filter = renderFilterOf(query);
  const page = await owned.renders.bounded(filter, pageOptions(query));
  const rows = await owned.renders.page(filter, page, now);
  const queued = await queuedOf(rows);
  return toPage(rows, page, (row) => renderView(addresses, row, now, queued));
}

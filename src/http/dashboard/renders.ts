// The renders page, and the playground's renders: the API's handlers, run for the signed-in account.
import type { Static } from 'typebox';
import type { Owned } from '#storage/owned/owned.ts';
import { isPicture } from '#uploads/thumbnail.ts';
import { renderPath, type Addresses } from '#http/links.ts';
import { found } from '#http/dashboard/errors.ts';
import { sendThumbnail } from '#http/dashboard/uploads.ts';
import type { RendersQuery } from '#http/dashboard/schemas/files.ts';
import type { DashboardParts, Handlers } from '#http/dashboard/serve.ts';
import { notFound } from '#core/errors.ts';
import { pageOptions, renderView, toPage } from '#http/dashboard/views.ts';

export function rendersHandlers({ clock, settings, renders, api }: DashboardParts) {
  const { hostedRenders, renderThumbnails } = renders;
  return {
    'GET /renders': ({ owned, query }) => listRenders(settings, owned, query, clock.now()),
    async 'GET /renders/:id'({ owned, id }) {
      const now = clock.now();
      return renderView(settings, found(await owned.renders.byId(id, now)), now);
    },
    async 'GET /renders/:id/thumbnail'({ owned, id, request, reply }) {
      const row = await owned.renders.byId(id, clock.now());
      if (row?.hosted !== 1 || !isPicture(row)) throw notFound();
      return sendThumbnail(request, reply, renderThumbnails, row, renderPath(row.kind, id));
    },
    'POST /renders/delete': async ({ owned, body }) => ({
      deleted: found(await hostedRenders.deleteOwned(owned.accountId, body.ids)),
    }),
    'DELETE /renders/:id': async ({ owned, id }) => ({
      deleted: found(await hostedRenders.deleteOwned(owned.accountId, [id])),
    }),
    'POST /playground/screenshot': ({ request, reply }) => api.screenshot(request, reply),
    'POST /playground/pdf': ({ request, reply }) => api.pdf(request, reply),
  } satisfies Partial<Handlers>;
}

/** A page of the account's renders, newest first. */
export async function listRenders(
  addresses: Pick<Addresses, 'contentBaseUrl'>,
  owned: Owned,
  query: Static<typeof RendersQuery>,
  now: number,
) {
  const { search, kind, status } = query;
  const page = pageOptions(query);
  const rows = await owned.renders.page({ search, kind, status }, page, now);
  return toPage(rows, page, (row) => renderView(addresses, row, now));
}

// The renders page, and the playground's renders: the API's handlers, run for the signed-in account.
import type { Static } from 'typebox';
import type { Clock } from '#core/clock.ts';
import type { Owned } from '#storage/owned/owned.ts';
import type { HostedRenders } from '#renders/hosted-renders.ts';
import { isPicture, type Thumbnails } from '#uploads/thumbnail.ts';
import { hangUpSignal } from '#http/connection/hang-up.ts';
import { renderPath, type Addresses } from '#http/links.ts';
import { keptByBrowser } from '#http/dashboard/uploads.ts';
import { pdf } from '#http/api/pdf.ts';
import type { RenderParts } from '#http/api/render-answer.ts';
import { screenshot } from '#http/api/screenshot.ts';
import type { RendersQuery } from '#http/dashboard/schemas/files.ts';
import type { Handlers } from '#http/dashboard/serve.ts';
import { notFound } from '#core/errors.ts';
import { pageOptions, renderView, toPage } from '#http/dashboard/views.ts';

type Names =
  | 'GET /renders'
  | 'GET /renders/:id'
  | 'GET /renders/:id/thumbnail'
  | 'POST /renders/delete'
  | 'DELETE /renders/:id'
  | 'POST /playground/screenshot'
  | 'POST /playground/pdf';

export interface RendersPageParts extends RenderParts {
  clock: Clock;
  hostedRenders: HostedRenders;
  renderThumbnails: Thumbnails;
}

export function rendersHandlers(parts: RendersPageParts): Pick<Handlers, Names> {
  const { clock, hostedRenders, renderThumbnails } = parts;
  const takeScreenshot = screenshot(parts);
  const printPdf = pdf(parts);

  return {
    'GET /renders': ({ owned, query }) => listRenders(parts, owned, query),
    async 'GET /renders/:id'({ owned, id }) {
      const now = clock.now();
      const row = await owned.renders.byId(id, now);
      if (!row) throw notFound();
      return renderView(parts, row, now);
    },
    async 'GET /renders/:id/thumbnail'({ owned, id, request, reply }) {
      const row = await owned.renders.byId(id, clock.now());
      if (row?.hosted !== 1 || !isPicture(row)) throw notFound();
      const bytes = await renderThumbnails.of(row, hangUpSignal(request, reply));
      reply.header('cache-control', keptByBrowser);
      if (!bytes) return reply.redirect(renderPath(row.kind, id), 302);
      return reply.type('image/webp').send(bytes);
    },
    async 'POST /renders/delete'({ owned, body }) {
      const deleted = await hostedRenders.deleteOwned(owned.accountId, body.ids);
      if (deleted.length === 0) throw notFound();
      return { deleted };
    },
    async 'DELETE /renders/:id'({ owned, id }) {
      const deleted = await hostedRenders.deleteOwned(owned.accountId, [id]);
      if (deleted.length === 0) throw notFound();
      return { deleted };
    },
    'POST /playground/screenshot': ({ request, reply }) => takeScreenshot(request, reply),
    'POST /playground/pdf': ({ request, reply }) => printPdf(request, reply),
  };
}

/** A page of the account's renders, newest first. */
export async function listRenders(
  parts: Pick<Addresses, 'contentBaseUrl'> & { clock: Clock },
  owned: Owned,
  query: Static<typeof RendersQuery>,
) {
  const { search, kind, status } = query;
  const now = parts.clock.now();
  const page = pageOptions(query);
  const rows = await owned.renders.page({ search, kind, status }, page, now);
  return toPage(rows, page, (row) => renderView(parts, row, now));
}

// The links page: the keys that sign links.
import { limits } from '#core/limits.ts';
import type { LinkKeyRow } from '#storage/schema.ts';
import { found } from '#console/errors.ts';
import type { DashboardParts, Handlers } from '#console/serve.ts';
import { isoTime } from '#api/common-views.ts';

export function linksHandlers({ accounts: { linkKeys }, settings }: DashboardParts) {
  return {
    'GET /link-keys': async ({ owned }) => ({
      items: (await owned.linkKeys.list()).map(linkKeyView),
      limit: limits.linkKeys,
      /** What the address of a link begins with. */
      base_url: settings.contentBaseUrl,
    }),
    async 'POST /link-keys'({ owned, body: { name } }) {
      const { row, secret } = await linkKeys.create(owned.accountId, name);
      return { key: linkKeyView(row), secret };
    },
    async 'PATCH /link-keys/:id'({ owned, id, body: { name } }) {
      return linkKeyView(found(await owned.linkKeys.rename(id, name)));
    },
    async 'POST /link-keys/:id/revoke'({ owned, id }) {
      return linkKeyView(found(await linkKeys.revoke(owned.accountId, id)));
    },
  } satisfies Partial<Handlers>;
}

export type LinkKey = ReturnType<typeof linkKeyView>;

const linkKeyView = ({ id, name, created_at }: LinkKeyRow) => ({ id, name, created_at: isoTime(created_at) });

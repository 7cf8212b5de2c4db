// The overview: the month, the current minute, recent items and the first steps.
import { callerFor } from '#accounts/authenticate.ts';
import type { DashboardParts, Handlers } from '#console/serve.ts';
import { monthUsage } from '#api/month-usage.ts';
import { createUploadViews, renderView } from '#console/views.ts';

const recent = { after: undefined, limit: 6 };

export function overviewHandlers(parts: DashboardParts) {
  const {
    clock,
    database,
    settings,
    accounts,
    metering,
    renders: { renderHistory },
  } = parts;
  const { plans } = accounts;
  const uploadView = createUploadViews(parts);
  return {
    async 'GET /overview'({ owned, person }) {
      const { account, hasPassword } = person;
      const now = clock.now();
      const usage = await monthUsage(database, account.id, plans.of(account), now);
      const { limit, remaining, resetSeconds } = await metering.admission.peek(
        callerFor({ ...account, account_id: account.id }, null, plans),
      );
      const uploads = await owned.uploads.page({}, recent, now);
      const renders = await owned.renders.page({}, recent, now);
      const queued = await renderHistory.queuedOf(renders);
      const keys = await owned.keys.list();
      return {
        ...usage,
        requests: { limit, used: limit - remaining, reset_seconds: resetSeconds },
        first_steps: {
          has_password: hasPassword,
          is_verified: account.verified === 1,
          has_key: keys.length > 0,
          has_used_key: keys.some((key) => key.last_used_at !== null),
          has_upload: uploads.length > 0 || usage.units.upload.used > 0,
          has_render: renders.length > 0 || usage.units.render.used > 0,
        },
        recent_uploads: uploads.map(uploadView),
        recent_renders: renders.map((row) => renderView(settings, row, now, queued)),
      };
    },
  } satisfies Partial<Handlers>;
}

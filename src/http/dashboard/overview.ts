// The overview: the month, the current minute, recent items and the first steps.
import type { Clock } from '#core/clock.ts';
import type { Database } from '#storage/database.ts';
import { callerFor } from '#accounts/authenticate.ts';
import type { Plans } from '#accounts/plans.ts';
import type { Admission } from '#metering/admission.ts';
import type { Handlers } from '#http/dashboard/serve.ts';
import { monthStanding } from '#http/dashboard/standing.ts';
import { renderView, uploadView } from '#http/dashboard/views.ts';

const recent = { after: undefined, limit: 6 };

export interface OverviewParts {
  baseUrl: string;
  contentBaseUrl: string;
  clock: Clock;
  database: Database;
  plans: Plans;
  admission: Admission;
}

export function overviewHandlers(parts: OverviewParts): Pick<Handlers, 'GET /overview'> {
  const { clock, database, plans, admission } = parts;
  return {
    async 'GET /overview'({ owned, person }) {
      const { account, hasPassword } = person;
      const now = clock.now();
      const standing = await monthStanding(database, plans, account, now);
      const { limit, remaining, resetSeconds } = await admission.peek(
        callerFor({ ...account, account_id: account.id }, null, plans),
      );
      const uploads = await owned.uploads.page({}, recent, now);
      const renders = await owned.renders.page({}, recent, now);
      const keys = await owned.keys.list();
      return {
        ...standing,
        requests: { limit, used: limit - remaining, reset_seconds: resetSeconds },
        first_steps: {
          has_password: hasPassword,
          is_verified: account.verified === 1,
          has_key: keys.length > 0,
          has_used_key: keys.some((key) => key.last_used_at !== null),
          has_upload: uploads.length > 0 || standing.units.upload.used > 0,
          has_render: renders.length > 0 || standing.units.render.used > 0,
        },
        recent_uploads: uploads.map((row) => uploadView(parts, row)),
        recent_renders: renders.map((row) => renderView(parts, row, now)),
      };
    },
  };
}

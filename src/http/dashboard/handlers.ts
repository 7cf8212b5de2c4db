// Combines the dashboard's handlers: a route of the contract without a handler does not compile.
import { adminHandlers, type AdminParts } from '#http/dashboard/admin.ts';
import { adminSettingsHandlers, type AdminSettingsParts } from '#http/dashboard/admin-settings.ts';
import { exportHandlers, type ExportParts } from '#http/dashboard/export.ts';
import { healthHandlers, type HealthParts } from '#http/dashboard/health.ts';
import { keysHandlers, type KeysPageParts } from '#http/dashboard/keys.ts';
import { overviewHandlers, type OverviewParts } from '#http/dashboard/overview.ts';
import { rendersHandlers, type RendersPageParts } from '#http/dashboard/renders.ts';
import { requestsHandlers, type RequestsPageParts } from '#http/dashboard/requests.ts';
import { secondFactorsHandlers, type SecondFactorsParts } from '#http/dashboard/second-factors.ts';
import { serveDashboard, type Handlers, type ServeParts } from '#http/dashboard/serve.ts';
import { sessionHandlers, type SessionParts } from '#http/dashboard/session.ts';
import { settingsHandlers, type SettingsParts } from '#http/dashboard/settings.ts';
import { uploadsHandlers, type UploadsPageParts } from '#http/dashboard/uploads.ts';
import { usageHandlers, type UsagePageParts } from '#http/dashboard/usage.ts';

export type DashboardParts = AdminParts &
  AdminSettingsParts &
  ExportParts &
  HealthParts &
  KeysPageParts &
  OverviewParts &
  RendersPageParts &
  RequestsPageParts &
  SecondFactorsParts &
  ServeParts &
  SessionParts &
  SettingsParts &
  UploadsPageParts &
  UsagePageParts;

export function dashboard(parts: DashboardParts) {
  const handlers: Handlers = {
    ...sessionHandlers(parts),
    ...settingsHandlers(parts),
    ...secondFactorsHandlers(parts),
    ...exportHandlers(parts),
    ...overviewHandlers(parts),
    ...uploadsHandlers(parts),
    ...rendersHandlers(parts),
    ...keysHandlers(parts),
    ...usageHandlers(parts),
    ...requestsHandlers(parts),
    ...adminHandlers(parts),
    ...adminSettingsHandlers(parts),
    ...healthHandlers(parts),
  };
  return serveDashboard(parts, handlers);
}

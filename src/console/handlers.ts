// Combines the dashboard's handlers: a route of the contract without a handler does not compile.
import type { FastifyReply } from 'fastify';
import type { Static } from 'typebox';
import type { UploadResult } from '#api/v1/schemas.ts';
import type { Album, UploadLink } from '#api/v2/album-schemas.ts';
import type { Render } from '#api/v2/schemas.ts';
import { adminHandlers } from '#console/admin.ts';
import { adminPlansHandlers } from '#console/admin-plans.ts';
import { adminSettingsHandlers } from '#console/admin-settings.ts';
import type { dashboardRoutes, OwnRouteName, RouteName } from '#console/contract.ts';
import { exportHandlers } from '#console/export.ts';
import { healthHandlers } from '#console/health.ts';
import { keysHandlers } from '#console/keys.ts';
import { oidcHandlers } from '#console/oidc.ts';
import { linksHandlers } from '#console/link-keys.ts';
import { overviewHandlers } from '#console/overview.ts';
import { rendersHandlers } from '#console/renders.ts';
import { requestsHandlers } from '#console/requests.ts';
import { secondFactorsHandlers } from '#console/second-factors.ts';
import { serveDashboard, type DashboardParts, type Handlers } from '#console/serve.ts';
import { sessionHandlers } from '#console/session.ts';
import { settingsHandlers } from '#console/settings.ts';
import { uploadsHandlers } from '#console/uploads.ts';
import { usageHandlers } from '#console/usage.ts';
import { webhooksHandlers } from '#console/webhooks.ts';

const createHandlers = (parts: DashboardParts) =>
  ({
    ...sessionHandlers(parts),
    ...oidcHandlers(parts),
    ...settingsHandlers(parts),
    ...secondFactorsHandlers(parts),
    ...exportHandlers(parts),
    ...overviewHandlers(parts),
    ...uploadsHandlers(parts),
    ...rendersHandlers(parts),
    ...keysHandlers(parts),
    ...linksHandlers(parts),
    ...webhooksHandlers(parts),
    ...usageHandlers(parts),
    ...requestsHandlers(parts),
    ...adminHandlers(parts),
    ...adminPlansHandlers(parts),
    ...adminSettingsHandlers(parts),
    ...healthHandlers(parts),
  }) satisfies Handlers;

/** What the front end gets of the API's endpoints. */
interface EndpointAnswers {
  'POST /api/v1/upload': Static<typeof UploadResult>;
  'GET /api/v2/renders/:id': Render;
  'GET /api/v2/albums': { items: Album[]; next_cursor: string | null };
  'POST /api/v2/albums': Album;
  'PATCH /api/v2/albums/:id': Album;
  'GET /api/v2/upload_links': { items: UploadLink[]; next_cursor: string | null };
  'POST /api/v2/upload_links': UploadLink;
}

/** What a handler returns, which the front end gets as JSON; unknown for a handler that sends a file. */
export type AnswerOf<Name extends RouteName> = (typeof dashboardRoutes)[Name] extends { endpoint: infer Of }
  ? Of extends keyof EndpointAnswers
    ? EndpointAnswers[Of]
    : unknown
  : Name extends OwnRouteName
    ? AnswerOfOwn<Name>
    : never;
type AnswerOfOwn<Name extends OwnRouteName> =
  ReturnType<ReturnType<typeof createHandlers>[Name]> extends Promise<infer Returned>
    ? OrUnknown<Exclude<Returned, FastifyReply>>
    : never;
type OrUnknown<T> = [T] extends [never] ? unknown : T;

export const dashboard = (parts: DashboardParts) => serveDashboard(parts, createHandlers(parts));

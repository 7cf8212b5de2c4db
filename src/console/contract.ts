// Every route of /api/dashboard: its access and input. Its output is what its handler returns (handlers.ts). The front end imports
// the types, a route without a handler does not compile, and the isolation test checks every entry. Errors have the API's envelope.
import type { Static, TObject, TSchema } from 'typebox';
import * as admin from '#console/schemas/admin.ts';
import type { EndpointName } from '#api/contract.ts';
import * as albums from '#api/v2/album-schemas.ts';
import * as files from '#console/schemas/files.ts';
import * as keys from '#console/schemas/keys.ts';
import * as links from '#console/schemas/link-keys.ts';
import * as session from '#console/schemas/session.ts';
import * as webhooks from '#console/schemas/webhooks.ts';

/** Dashboard requests of one account per minute, separate from the API's budget. */
export const dashboardRequestsPerMinute = 1_200;
/**
 * Attempts to sign in or up per minute: from one client address, from one client address for one e-mail address, and from all
 * client addresses together for one e-mail address.
 */
export const attemptsPerMinute = { address: 60, email: 10, emailEverywhere: 60 };

/**
 * - public: anyone.
 * - person: anyone signed in, a suspended account too.
 * - account: an account that is not suspended.
 * - verified: one whose e-mail address is proven. Only these add what signs in or acts later, because until the proof anyone could
 *   have made the account.
 * - api: a verified one that spends its request budget and its units.
 * - owner: the operator; to everyone else there is nothing here (404).
 */
export type Access = 'public' | 'person' | 'account' | 'verified' | 'api' | 'owner';

export interface Contract {
  access: Access;
  query?: TObject;
  body?: TObject;
  status?: 201;
  /** The endpoint of the API that answers, with its errors; it reads query and body itself. */
  endpoint?: EndpointName;
}

export const dashboardRoutes = {
  // Sign-in. Each sets or ends the session cookie.
  'GET /instance': { access: 'public' },
  'POST /sign-in': { access: 'public', body: session.SignIn },
  'POST /sign-in/code': { access: 'public', body: session.SignInCode },
  'POST /sign-in/passkey/start': { access: 'public' },
  'POST /sign-in/passkey': { access: 'public', body: session.SignInPasskey },
  'POST /oidc/start': { access: 'public', body: session.StartOidc },
  'GET /oidc/callback': { access: 'public' },
  'POST /sign-up': { access: 'public', body: session.SignUp, status: 201 },
  'POST /welcome': { access: 'public', body: session.TokenBody },
  'POST /forgot-password': { access: 'public', body: session.ForgotPassword },
  'POST /reset-password/check': { access: 'public', body: session.TokenBody },
  'POST /reset-password': { access: 'public', body: session.ResetPassword },
  'GET /session': { access: 'public' },
  'POST /sign-out': { access: 'person' },

  // Settings.
  'POST /verify-email/send': { access: 'account' },
  'POST /verify-email': { access: 'account', body: session.TokenBody },
  'PATCH /profile': { access: 'account', body: session.ChangeProfile },
  'POST /change-email': { access: 'account', body: session.ChangeEmail },
  'POST /change-password': { access: 'account', body: session.ChangePassword },
  'GET /sessions': { access: 'account' },
  'DELETE /sessions/:id': { access: 'account' },
  'POST /sessions/sign-out-others': { access: 'account' },
  'GET /second-factors': { access: 'account' },
  'POST /codes/start': { access: 'verified', body: session.WithPassword },
  'POST /codes/confirm': { access: 'verified', body: session.SignInCode },
  'POST /codes/recovery': { access: 'verified', body: session.WithPassword },
  'POST /codes/stop': { access: 'account', body: session.WithPassword },
  'POST /passkeys/start': { access: 'verified', body: session.WithPassword },
  'POST /passkeys': { access: 'verified', body: session.AddPasskey },
  'DELETE /passkeys/:id': { access: 'account', body: session.WithPassword },
  'POST /oidc/link': { access: 'verified', body: session.MaybeWithPassword },
  'POST /oidc/unlink': { access: 'account', body: session.MaybeWithPassword },
  'GET /export': { access: 'person' },
  'POST /delete-account': { access: 'account', body: session.DeleteAccount },

  'GET /overview': { access: 'account' },

  'GET /uploads': { access: 'account', query: files.DashboardUploadsQuery },
  'GET /uploads/totals': { access: 'account', query: files.UploadsFilter },
  'GET /uploads/ids': { access: 'account', query: files.UploadsFilter },
  'GET /uploads/tags': { access: 'account' },
  'GET /uploads/zip': { access: 'account', query: files.ZipQuery },
  'POST /uploads/expiry': { access: 'account', body: files.ChangeExpiry },
  'POST /uploads/move': { access: 'account', body: files.MoveUploads },
  'POST /uploads/tag': { access: 'account', body: files.TagUploads },
  'POST /uploads': { access: 'api', endpoint: 'POST /api/v1/upload' },
  'GET /uploads/deleted': { access: 'account' },
  'POST /uploads/restore': { access: 'account', body: files.Ids },
  'POST /uploads/purge': { access: 'account', body: files.Ids },
  'POST /uploads/delete': { access: 'account', body: files.Ids },
  'GET /uploads/:id': { access: 'account' },
  'PATCH /uploads/:id': { access: 'account', body: files.ChangeUpload },
  'DELETE /uploads/:id': { access: 'account' },
  'GET /uploads/:id/thumbnail': { access: 'account' },

  'GET /albums': { access: 'account', endpoint: 'GET /api/v2/albums', query: albums.PageQuery },
  'POST /albums': { access: 'verified', endpoint: 'POST /api/v2/albums', body: albums.NewAlbum },
  'PATCH /albums/:id': { access: 'account', endpoint: 'PATCH /api/v2/albums/:id', body: albums.AlbumChanges },
  'DELETE /albums/:id': { access: 'account', endpoint: 'DELETE /api/v2/albums/:id' },
  'GET /upload-links': { access: 'account', endpoint: 'GET /api/v2/upload_links', query: albums.PageQuery },
  'POST /upload-links': {
    access: 'verified',
    endpoint: 'POST /api/v2/upload_links',
    body: albums.NewUploadLink,
  },
  'DELETE /upload-links/:id': { access: 'account', endpoint: 'DELETE /api/v2/upload_links/:id' },

  'GET /renders': { access: 'account', query: files.DashboardRendersQuery },
  'GET /renders/ids': { access: 'account', query: files.RendersFilter },
  'GET /renders/deleted': { access: 'account' },
  'POST /renders/restore': { access: 'account', body: files.Ids },
  'POST /renders/purge': { access: 'account', body: files.Ids },
  'POST /renders/delete': { access: 'account', body: files.Ids },
  'GET /renders/:id': { access: 'account' },
  'GET /renders/:id/thumbnail': { access: 'account' },
  'GET /renders/:id/receipt': { access: 'account', endpoint: 'GET /api/v2/renders/:id' },
  'POST /renders/:id/host': { access: 'verified' },
  'DELETE /renders/:id': { access: 'account' },

  // The playground: requests, responses, headers and errors of the API's endpoints.
  'POST /playground/upload': { access: 'api', endpoint: 'POST /api/v1/upload' },
  'POST /playground/screenshot': { access: 'api', endpoint: 'POST /api/v1/screenshot' },
  'POST /playground/pdf': { access: 'api', endpoint: 'POST /api/v1/pdf' },
  'POST /playground/render': { access: 'api', endpoint: 'POST /api/v2/renders' },

  'GET /keys': { access: 'account' },
  'POST /keys': { access: 'verified', body: keys.CreateKey, status: 201 },
  'PATCH /keys/:id': { access: 'account', body: keys.ChangeKey },
  'POST /keys/:id/rotate': { access: 'verified', body: keys.RotateKey, status: 201 },
  'POST /keys/:id/revoke': { access: 'account' },

  'POST /integrations': { access: 'verified', body: keys.MakeIntegration, status: 201 },

  'GET /link-keys': { access: 'account' },
  'POST /link-keys': { access: 'verified', body: links.NameLinkKey, status: 201 },
  'PATCH /link-keys/:id': { access: 'account', body: links.NameLinkKey },
  'POST /link-keys/:id/revoke': { access: 'account' },

  'GET /webhooks': { access: 'account' },
  'POST /webhooks': { access: 'verified', body: webhooks.AddEndpoint, status: 201 },
  'POST /webhooks/rotate-secret': { access: 'verified', status: 201 },
  'PATCH /webhooks/:id': { access: 'verified', body: webhooks.ChangeEndpoint },
  'DELETE /webhooks/:id': { access: 'account' },
  'GET /webhooks/deliveries': { access: 'account', query: webhooks.DeliveriesQuery },
  'GET /webhooks/deliveries/:id': { access: 'account' },
  'POST /webhooks/deliveries/:id/send': { access: 'verified' },

  'GET /usage': { access: 'account', query: keys.UsageQuery },
  'GET /usage.csv': { access: 'account', query: keys.UsageQuery },
  'PATCH /overages': { access: 'account', body: keys.ChangeOverages },
  'GET /requests': { access: 'account', query: keys.RequestsQuery },

  'GET /admin/accounts': { access: 'owner', query: admin.AdminAccountsQuery },
  'POST /admin/accounts': { access: 'owner', body: admin.CreateAccount, status: 201 },
  // Every look is in the audit log.
  'GET /admin/accounts/:id': { access: 'owner' },
  'PATCH /admin/accounts/:id': { access: 'owner', body: admin.ChangeAccount },
  'POST /admin/accounts/:id/link': { access: 'owner', body: admin.MakeLink },
  'POST /admin/accounts/:id/delete': { access: 'owner', body: admin.RemoveAccount },
  'GET /admin/plans': { access: 'owner' },
  'POST /admin/plans': { access: 'owner', body: admin.CreatePlan, status: 201 },
  'PATCH /admin/plans/:id': { access: 'owner', body: admin.ChangePlan },
  'DELETE /admin/plans/:id': { access: 'owner' },
  'GET /admin/settings': { access: 'owner' },
  'PATCH /admin/settings': { access: 'owner', body: admin.ChangeInstallation },
  'POST /admin/settings/test-mail': { access: 'owner' },
  'GET /admin/overages': { access: 'owner', query: admin.OveragesQuery },
  'GET /admin/overages.csv': { access: 'owner', query: admin.OveragesQuery },
  'GET /admin/health': { access: 'owner' },
  'GET /admin/audit': { access: 'owner', query: admin.AuditQuery },
} as const satisfies Record<string, Contract>;

export type RouteName = keyof typeof dashboardRoutes;
/** The routes that have a handler of the dashboard's own. */
export type OwnRouteName = {
  [Name in RouteName]: (typeof dashboardRoutes)[Name] extends { endpoint: string } ? never : Name;
}[RouteName];
type Field<Name extends RouteName, Key extends string> =
  (typeof dashboardRoutes)[Name] extends Record<Key, infer T> ? T : undefined;
type Value<T> = T extends TSchema ? Static<T> : undefined;

/** The query as the handler gets it, with defaults; the front end may omit optional fields. */
export type QueryOf<Name extends RouteName> = Value<Field<Name, 'query'>>;
export type BodyOf<Name extends RouteName> = Value<Field<Name, 'body'>>;

// Every route of /api/dashboard: its access, input and output. The front end imports the types, the server cannot start without a
// handler for each, and the isolation test checks every entry. Errors have the API's envelope.
import type { Static, TObject, TSchema } from 'typebox';
import { PdfRequest, ScreenshotRequest, UploadResult } from '#http/api/schemas.ts';
import * as admin from '#http/dashboard/schemas/admin.ts';
import { Done, Linked, Mailed } from '#http/dashboard/schemas/common.ts';
import * as files from '#http/dashboard/schemas/files.ts';
import * as keys from '#http/dashboard/schemas/keys.ts';
import * as session from '#http/dashboard/schemas/session.ts';

export const dashboardPath = '/api/dashboard';

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
  /** A form is multipart/form-data with the parts of POST /api/v1/upload. */
  body?: TObject | 'form';
  /** A string is the content type of a response that is not JSON. */
  answer: TSchema | string;
  status?: 201;
  /** The handler is the API's own and reads the body itself. */
  readsBody?: true;
}

export const dashboardRoutes = {
  // Sign-in. Each sets or ends the session cookie.
  'GET /instance': { access: 'public', answer: session.Instance },
  'POST /sign-in': { access: 'public', body: session.SignIn, answer: session.Session },
  'POST /sign-in/code': { access: 'public', body: session.SignInCode, answer: session.SignedIn },
  'POST /sign-in/passkey/start': { access: 'public', answer: session.PasskeyOptions },
  'POST /sign-in/passkey': { access: 'public', body: session.SignInPasskey, answer: session.SignedIn },
  'POST /sign-up': { access: 'public', body: session.SignUp, answer: session.SignedIn, status: 201 },
  'POST /welcome': { access: 'public', body: session.TokenBody, answer: session.SignedIn },
  'POST /forgot-password': { access: 'public', body: session.ForgotPassword, answer: Mailed },
  'POST /reset-password/check': {
    access: 'public',
    body: session.TokenBody,
    answer: session.ResetLink,
  },
  'POST /reset-password': { access: 'public', body: session.ResetPassword, answer: session.StillWorking },
  'GET /session': { access: 'public', answer: session.Session },
  'POST /sign-out': { access: 'person', answer: Done },

  // Settings.
  'POST /verify-email/send': { access: 'account', answer: Linked },
  'POST /verify-email': { access: 'account', body: session.TokenBody, answer: session.SignedIn },
  'PATCH /profile': { access: 'account', body: session.ChangeProfile, answer: session.SignedIn },
  'POST /change-email': { access: 'account', body: session.ChangeEmail, answer: Linked },
  'POST /change-password': { access: 'account', body: session.ChangePassword, answer: session.SignedIn },
  'GET /sessions': { access: 'account', answer: session.Sessions },
  'DELETE /sessions/:id': { access: 'account', answer: Done },
  'POST /sessions/sign-out-others': { access: 'account', answer: Done },
  'GET /second-factors': { access: 'account', answer: session.SecondFactors },
  'POST /codes/start': { access: 'verified', body: session.WithPassword, answer: session.NewCodes },
  'POST /codes/confirm': { access: 'verified', body: session.SignInCode, answer: Done },
  'POST /codes/recovery': { access: 'verified', body: session.WithPassword, answer: session.RecoveryCodes },
  'POST /codes/stop': { access: 'account', body: session.WithPassword, answer: Done },
  'POST /passkeys/start': { access: 'verified', body: session.WithPassword, answer: session.PasskeyOptions },
  'POST /passkeys': { access: 'verified', body: session.AddPasskey, answer: Done },
  'DELETE /passkeys/:id': { access: 'account', body: session.WithPassword, answer: Done },
  'GET /export': { access: 'person', answer: 'application/x-tar' },
  'POST /delete-account': { access: 'account', body: session.DeleteAccount, answer: Done },

  'GET /overview': { access: 'account', answer: files.Overview },

  'GET /uploads': { access: 'account', query: files.UploadsQuery, answer: files.Uploads },
  'GET /uploads/totals': { access: 'account', query: files.UploadsFilter, answer: files.UploadTotals },
  'GET /uploads/zip': { access: 'account', query: files.ZipQuery, answer: 'application/zip' },
  'POST /uploads/expiry': { access: 'account', body: files.ChangeUploads, answer: files.ChangedUploads },
  'POST /uploads': { access: 'api', body: 'form', answer: UploadResult, status: 201 },
  'GET /uploads/deleted': { access: 'account', answer: files.DeletedUploads },
  'POST /uploads/restore': { access: 'account', body: files.Ids, answer: files.Restored },
  'POST /uploads/purge': { access: 'account', body: files.Ids, answer: files.Deleted },
  'POST /uploads/delete': { access: 'account', body: files.Ids, answer: files.Deleted },
  'GET /uploads/:id': { access: 'account', answer: files.Upload },
  'PATCH /uploads/:id': { access: 'account', body: files.ChangeUpload, answer: files.Upload },
  'DELETE /uploads/:id': { access: 'account', answer: files.Deleted },
  'GET /uploads/:id/thumbnail': { access: 'account', answer: 'image/*' },

  'GET /renders': { access: 'account', query: files.RendersQuery, answer: files.Renders },
  'POST /renders/delete': { access: 'account', body: files.Ids, answer: files.Deleted },
  'GET /renders/:id': { access: 'account', answer: files.Render },
  'GET /renders/:id/thumbnail': { access: 'account', answer: 'image/*' },
  'DELETE /renders/:id': { access: 'account', answer: files.Deleted },

  // The playground: responses, headers and errors of the API's endpoints.
  'POST /playground/upload': { access: 'api', body: 'form', answer: UploadResult, status: 201 },
  'POST /playground/screenshot': {
    access: 'api',
    body: ScreenshotRequest,
    answer: 'image/* or JSON',
    readsBody: true,
  },
  'POST /playground/pdf': {
    access: 'api',
    body: PdfRequest,
    answer: 'application/pdf or JSON',
    readsBody: true,
  },

  'GET /keys': { access: 'account', answer: keys.Keys },
  'POST /keys': { access: 'verified', body: keys.CreateKey, answer: keys.CreatedKey, status: 201 },
  'PATCH /keys/:id': { access: 'account', body: keys.NameKey, answer: keys.Key },
  'POST /keys/:id/rotate': { access: 'verified', body: keys.RotateKey, answer: keys.CreatedKey, status: 201 },
  'POST /keys/:id/revoke': { access: 'account', answer: keys.Key },

  'POST /integrations': {
    access: 'verified',
    body: keys.MakeIntegration,
    answer: keys.Integration,
    status: 201,
  },

  'GET /usage': { access: 'account', query: keys.UsageQuery, answer: keys.Usage },
  'GET /usage.csv': { access: 'account', query: keys.UsageQuery, answer: 'text/csv' },
  'PATCH /overages': { access: 'account', body: keys.ChangeOverages, answer: keys.Usage },
  'GET /requests': { access: 'account', query: keys.RequestsQuery, answer: keys.Requests },

  'GET /admin/accounts': { access: 'owner', query: admin.AdminAccountsQuery, answer: admin.AdminAccounts },
  'POST /admin/accounts': {
    access: 'owner',
    body: admin.CreateAccount,
    answer: admin.CreatedAccount,
    status: 201,
  },
  'PATCH /admin/accounts/:id': { access: 'owner', body: admin.ChangeAccount, answer: admin.AdminAccount },
  'POST /admin/accounts/:id/link': { access: 'owner', body: admin.MakeLink, answer: Linked },
  'POST /admin/accounts/:id/delete': { access: 'owner', body: admin.RemoveAccount, answer: Done },
  'GET /admin/settings': { access: 'owner', answer: admin.InstallationView },
  'PATCH /admin/settings': {
    access: 'owner',
    body: admin.ChangeInstallation,
    answer: admin.InstallationView,
  },
  'POST /admin/settings/test-mail': { access: 'owner', answer: admin.TestMail },
  'GET /admin/overages': { access: 'owner', query: admin.OveragesQuery, answer: admin.Overages },
  'GET /admin/overages.csv': { access: 'owner', query: admin.OveragesQuery, answer: 'text/csv' },
  'GET /admin/health': { access: 'owner', answer: admin.Health },
  'GET /admin/audit': { access: 'owner', query: admin.AuditQuery, answer: admin.Audit },
} as const satisfies Record<string, Contract>;

export type RouteName = keyof typeof dashboardRoutes;
type Field<Name extends RouteName, Key extends string> =
  (typeof dashboardRoutes)[Name] extends Record<Key, infer T> ? T : undefined;
type Value<T> = T extends TSchema ? Static<T> : undefined;

/** The query as the handler gets it, with defaults; the front end may omit optional fields. */
export type QueryOf<Name extends RouteName> = Value<Field<Name, 'query'>>;
/** Undefined for a form and if there is no body. */
export type BodyOf<Name extends RouteName> = Value<Field<Name, 'body'>>;
/** Undefined for a file. */
export type AnswerOf<Name extends RouteName> = Value<Field<Name, 'answer'>>;

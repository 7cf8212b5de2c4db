// Paths that the server and the dashboard's own router share.

export const dashboardPath = '/api/dashboard';

/** Where a phone sends what people share with the installed dashboard. */
export const shareTarget = '/dashboard/share';
/** Where a share leads to: the dashboard then looks for the files that its worker has kept. */
export const sharedUploads = '/dashboard/uploads?shared';

/** Pages before sign-in. Mails, the first start and people use the short path, which redirects to the one under /dashboard. */
export const entryPaths = [
  '/sign-in',
  '/sign-up',
  '/welcome',
  '/verify-email',
  '/forgot-password',
  '/reset-password',
] as const;
export type EntryPath = (typeof entryPaths)[number];

/** The endpoints that the request log can be narrowed to: all that it has. */
export const loggedPaths = [
  '/api/v1/upload',
  '/api/v1/upload/batch',
  '/api/v1/screenshot',
  '/api/v1/pdf',
  '/api/v2/renders',
  '/api/v2/renders/:id',
  '/api/v2/links',
  '/api/v2/uploads',
  '/api/v2/uploads/:id',
  '/api/v2/uploads/:id/restore',
  '/api/v2/albums',
  '/api/v2/albums/:id',
  '/api/v2/upload_links',
  '/api/v2/upload_links/:id',
  '/api/v2/usage',
] as const;

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

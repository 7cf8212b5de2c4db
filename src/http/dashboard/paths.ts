// Paths that the server and the dashboard's own router share.

export const dashboardPath = '/api/dashboard';

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

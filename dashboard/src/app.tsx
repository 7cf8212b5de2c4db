// Chooses the page: the entry pages are for everyone, the others for signed-in users.
import { lazy, Suspense, useState, type ComponentType, type LazyExoticComponent } from 'react';
import { entryPaths } from '#console/paths.ts';
import { Suspended } from '#app/pages/suspended.tsx';
import { Boundary, renewIfOutdated } from '#app/boundary.tsx';
import { Loading, Problem } from '#app/parts/states.tsx';
import { Toasts } from '#app/parts/toast.tsx';
import { Redirect, usePath } from '#app/router.tsx';
import { useSession, type Session } from '#app/session.ts';
import { NotFound, Shell } from '#app/shell.tsx';

type PageOf = ComponentType<{ session: Session }>;

function page<Name extends string>(
  load: () => Promise<Record<Name, PageOf>>,
  name: Name,
): LazyExoticComponent<PageOf> {
  return lazy(async () => ({ default: (await load().catch(renewIfOutdated))[name] }));
}

/** Loaded only for people who are not signed in. */
const Entry = lazy(async () => ({
  default: (await import('#app/pages/entry/entry.tsx').catch(renewIfOutdated)).Entry,
}));

const pages: Record<string, LazyExoticComponent<PageOf>> = {
  '/': page(() => import('#app/pages/overview/overview.tsx'), 'Overview'),
  '/uploads': page(() => import('#app/pages/uploads/uploads.tsx'), 'Uploads'),
  '/renders': page(() => import('#app/pages/renders/renders.tsx'), 'Renders'),
  '/albums': page(() => import('#app/pages/albums/albums.tsx'), 'Albums'),
  '/upload-links': page(() => import('#app/pages/upload-links/upload-links.tsx'), 'UploadLinks'),
  '/playground': page(() => import('#app/pages/playground/playground.tsx'), 'Playground'),
  '/keys': page(() => import('#app/pages/keys/keys.tsx'), 'Keys'),
  '/key': page(() => import('#app/pages/keys/key.tsx'), 'KeyPage'),
  '/usage': page(() => import('#app/pages/usage/usage.tsx'), 'Usage'),
  '/requests': page(() => import('#app/pages/requests/requests.tsx'), 'Requests'),
  '/links': page(() => import('#app/pages/links/links.tsx'), 'Links'),
  '/webhooks': page(() => import('#app/pages/webhooks/webhooks.tsx'), 'Webhooks'),
  '/integrations': page(() => import('#app/pages/integrations.tsx'), 'Integrations'),
  '/settings': page(() => import('#app/pages/settings/settings.tsx'), 'Settings'),
};

const adminPages: Record<string, LazyExoticComponent<PageOf>> = {
  '/admin/accounts': page(() => import('#app/pages/admin/accounts.tsx'), 'Accounts'),
  '/admin/account': page(() => import('#app/pages/admin/account.tsx'), 'AccountPage'),
  '/admin/plans': page(() => import('#app/pages/admin/plans.tsx'), 'Plans'),
  '/admin/overages': page(() => import('#app/pages/admin/overages.tsx'), 'Overages'),
  '/admin/health': page(() => import('#app/pages/admin/health.tsx'), 'Health'),
  '/admin/settings': page(() => import('#app/pages/admin/settings.tsx'), 'InstallationSettings'),
  '/admin/audit': page(() => import('#app/pages/admin/audit.tsx'), 'Audit'),
};

export function App() {
  return (
    <>
      <Current />
      <Toasts />
    </>
  );
}

function Current() {
  const path = usePath();
  const { data: session, error, refetch } = useSession();
  const entryPath = entryPaths.find((entry) => entry === path);
  if (error)
    return (
      <main className="mx-auto max-w-lg px-4 py-16">
        <Problem error={error} onRetry={() => void refetch()} />
      </main>
    );
  if (session === undefined) return <Waiting />;
  if (entryPath !== undefined)
    return (
      <Boundary key={path}>
        <Suspense fallback={<Waiting />}>
          <Entry path={entryPath} session={session} />
        </Suspense>
      </Boundary>
    );
  if (session === null) return <ToSignIn />;
  if (session.suspended) return <Suspended session={session} />;
  const Shown = pages[path] ?? (session.owner ? adminPages[path] : undefined) ?? NotFound;
  return (
    // A new key for another account: dialogs and half-filled forms of the previous one go.
    <Shell key={session.id} session={session} path={path}>
      <Boundary key={path}>
        <Suspense fallback={<Loading />}>
          <Shown session={session} />
        </Suspense>
      </Boundary>
    </Shell>
  );
}

const Waiting = () => (
  <main className="mx-auto max-w-lg px-4 py-16">
    <Loading />
  </main>
);

/** Redirects to sign-in, which then leads back to the requested page. */
function ToSignIn() {
  const [wanted] = useState(() => location.pathname.slice('/dashboard'.length) + location.search);
  return <Redirect to={`/sign-in${wanted.length > 1 ? `?next=${encodeURIComponent(wanted)}` : ''}`} />;
}

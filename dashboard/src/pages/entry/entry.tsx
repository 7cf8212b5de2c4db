// The pages that need no session, or that start one.
import type { EntryPath } from '#console/paths.ts';
import { ForgotPassword, ResetPassword } from '#app/pages/entry/password.tsx';
import { SignIn } from '#app/pages/entry/sign-in.tsx';
import { SignUp } from '#app/pages/entry/sign-up.tsx';
import { VerifyEmail } from '#app/pages/entry/verify-email.tsx';
import { Welcome } from '#app/pages/entry/welcome.tsx';
import { Redirect, useSearch } from '#app/router.tsx';
import type { Session } from '#app/session.ts';

export function Entry({ path, session }: { path: EntryPath; session: Session | null }) {
  const [search] = useSearch();
  const token = search.get('token') ?? '';
  const next = safePath(search.get('next'));
  switch (path) {
    case '/sign-in':
      return session ? <Redirect to={next} /> : <SignIn next={next} problem={search.get('oidc')} />;
    case '/sign-up':
      return session ? <Redirect to={next} /> : <SignUp />;
    case '/forgot-password':
      return <ForgotPassword email={search.get('email') ?? ''} />;
    case '/reset-password':
      return <ResetPassword token={token} />;
    case '/verify-email':
      return session ? (
        <VerifyEmail token={token} session={session} />
      ) : (
        <Redirect
          to={`/sign-in?next=${encodeURIComponent(`/verify-email?token=${encodeURIComponent(token)}`)}`}
        />
      );
    default:
      return <Welcome token={token} session={session} />;
  }
}

/** Allows only paths of the dashboard, so that a link cannot redirect to another site. */
const safePath = (next: string | null): string => (next !== null && /^\/(?!\/)/.test(next) ? next : '/');

// The frame around every page of a signed-in user: navigation, notices and sign-out.
import { useRef, useState, type ReactNode } from 'react';
import { call } from '#app/api.ts';
import { groupsFor } from '#app/navigation.ts';
import { Notices } from '#app/notices.tsx';
import { Button, IconButton, LinkButton } from '#app/parts/button.tsx';
import { Icon, Mark } from '#app/parts/icon.tsx';
import { openPalette, Shortcuts } from '#app/palette/shortcuts.tsx';
import { useTitle } from '#app/parts/page.tsx';
import { Empty } from '#app/parts/states.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { Link } from '#app/router.tsx';
import { leave, type Session } from '#app/session.ts';
import { Intake } from '#app/uploading/intake.tsx';
import { Tray } from '#app/uploading/tray.tsx';

export function Shell({ session, path, children }: { session: Session; path: string; children: ReactNode }) {
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[16rem_minmax(0,1fr)]">
      <a
        href="#content"
        className="sr-only z-50 rounded-lg bg-accent px-4 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
      >
        Skip to content
      </a>
      <aside className="hidden border-r lg:block">
        <div className="sticky top-0 flex h-dvh flex-col gap-4 overflow-y-auto px-3 py-5">
          <Home />
          <Button small icon="search" className="justify-start text-quiet" onClick={openPalette}>
            Go to …
            <kbd className="ml-auto font-mono text-xs" aria-hidden="true">
              Ctrl K
            </kbd>
          </Button>
          <Navigation session={session} path={path} />
          <Person session={session} />
        </div>
      </aside>
      <header className="sticky top-0 z-20 flex items-center justify-between border-b bg-paper/95 px-4 py-2 backdrop-blur lg:hidden">
        <Home />
        <Drawer key={path} session={session} path={path} />
      </header>
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto w-full max-w-6xl px-4 pt-6 pb-24 min-[100rem]:max-w-[96rem] sm:px-8 lg:pt-9"
      >
        <div className="grid gap-6">
          <Notices session={session} />
          {children}
        </div>
      </main>
      <Tray session={session} />
      <Intake canUpload={session.verified} />
      <Shortcuts session={session} />
    </div>
  );
}

function Home() {
  return (
    <Link to="/" className="flex items-center gap-2.5 rounded-lg py-1 text-lg font-semibold lg:px-3">
      <Mark />
      Tintype
    </Link>
  );
}

function Navigation({ session, path }: { session: Session; path: string }) {
  return (
    <nav aria-label="Dashboard" className="flex-1">
      {groupsFor(session).map(({ title, entries }) => (
        <div key={title} className="mb-4 lg:mb-3">
          <h2 className="px-3 pb-1 text-xs font-semibold tracking-wider text-quiet uppercase">{title}</h2>
          <ul>
            {entries.map(([to, text, icon]) => (
              <li key={to}>
                <Link
                  to={to}
                  aria-current={path === to ? 'page' : undefined}
                  className="flex min-h-10 items-center gap-3 rounded-[9px] px-3 text-quiet lg:min-h-8.5 transition hover:bg-ink/5 hover:text-ink aria-[current]:bg-accent-soft aria-[current]:font-medium aria-[current]:text-accent"
                >
                  <Icon name={icon} />
                  {text}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <a
        href="/docs"
        className="flex min-h-10 items-center gap-3 rounded-[9px] px-3 text-quiet lg:min-h-8.5 transition hover:bg-ink/5 hover:text-ink"
      >
        <Icon name="open" />
        Documentation
      </a>
    </nav>
  );
}

function Person({ session }: { session: Session }) {
  const signOut = useAction(() => call('POST /sign-out'), { onDone: leave });
  return (
    <div className="flex items-center gap-2 border-t pt-4 pl-3">
      <div className="min-w-0 flex-1">
        <p className="truncate text-sm font-medium">{session.name || session.email}</p>
        <p className="truncate text-sm text-quiet">{session.plan.name} plan</p>
      </div>
      <IconButton
        icon="out"
        label="Sign out"
        disabled={signOut.isPending}
        onClick={() => signOut.mutate(undefined)}
      />
    </div>
  );
}

/** On a phone the navigation slides in from the side. */
function Drawer({ session, path }: { session: Session; path: string }) {
  const [isOpen, setOpen] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  const open = () => {
    dialog.current?.showModal();
    setOpen(true);
  };
  const close = () => dialog.current?.close();
  return (
    <>
      <IconButton icon="menu" label="Menu" aria-expanded={isOpen} onClick={open} />
      <dialog
        ref={dialog}
        aria-label="Menu"
        // The event fires asynchronously; by then the menu may be open again.
        onClose={() => setOpen(dialog.current?.open ?? false)}
        className="fixed inset-y-0 right-0 left-auto m-0 ml-auto h-dvh max-h-none w-72 max-w-[85vw] overflow-y-auto border-l bg-paper p-3 text-ink shadow-large"
      >
        <div className="mb-2 flex justify-end">
          <Button small tone="quiet" icon="cross" onClick={close}>
            Close
          </Button>
        </div>
        <Navigation session={session} path={path} />
        <Person session={session} />
      </dialog>
    </>
  );
}

export function NotFound() {
  useTitle('Nothing here');
  return (
    <Empty
      icon="search"
      title="There is no such page"
      action={
        <LinkButton to="/" tone="primary">
          Go to the overview
        </LinkButton>
      }
    >
      The address may be mistyped, or only the owner of this service may see the page.
    </Empty>
  );
}

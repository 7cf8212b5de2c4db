// The keys of the dashboard, and the dialog that lists them. Keys without Ctrl work only outside of fields.
import { lazy, Suspense, useEffect } from 'react';
import { renewIfOutdated } from '#app/boundary.tsx';
import { createStore } from '#app/parts/store.ts';
import { navigate } from '#app/router.tsx';
import type { Session } from '#app/session.ts';
import { chooseFiles } from '#app/uploading/intake.tsx';

const Palette = lazy(async () => ({
  default: (await import('#app/palette/palette.tsx').catch(renewIfOutdated)).Palette,
}));
const ShortcutList = lazy(async () => ({
  default: (await import('#app/palette/shortcut-list.tsx').catch(renewIfOutdated)).ShortcutList,
}));

const opened = createStore<'palette' | 'list' | undefined>(undefined);
export const openPalette = (): void => opened.set('palette');

/** After `g`. */
const places: Record<string, string> = {
  o: '/',
  u: '/uploads',
  a: '/albums',
  r: '/renders',
  p: '/playground',
  k: '/keys',
  l: '/requests',
};
const secondKeyMs = 1_500;

export function Shortcuts({ session }: { session: Session }) {
  const open = opened.use((now) => now);
  useEffect(() => {
    let goesUntil = 0;
    const onKey = (event: KeyboardEvent): void => {
      const { key, target, ctrlKey, metaKey, altKey } = event;
      if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') {
        event.preventDefault();
        openPalette();
        return;
      }
      const isTyping =
        target instanceof Element && target.closest('input, select, textarea, dialog') !== null;
      if (isTyping || ctrlKey || metaKey || altKey) return;
      const place = event.timeStamp < goesUntil ? places[key] : undefined;
      goesUntil = key === 'g' ? event.timeStamp + secondKeyMs : 0;
      if (place !== undefined) navigate(place);
      else if (key === '?') opened.set('list');
      else if (key === 'u' && session.verified) chooseFiles();
      else if (key === '/') {
        event.preventDefault();
        document.querySelector<HTMLElement>('main input[type=search]')?.focus();
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [session.verified]);
  const close = () => opened.set(undefined);
  return (
    <Suspense fallback={null}>
      {open === 'palette' && <Palette session={session} onClose={close} />}
      {open === 'list' && <ShortcutList onClose={close} />}
    </Suspense>
  );
}

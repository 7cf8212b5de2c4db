// Who is signed in, and what this service offers.
import { useQuery } from '@tanstack/react-query';
import type { SignedIn } from '#console/session.ts';
import { call, queries, refresh, sessionKey } from '#app/api.ts';
import { navigate } from '#app/router.tsx';
import { clear } from '#app/uploading/queue.ts';

export type Session = SignedIn;

const lasting = [...sessionKey, 'instance'];
/** The account that this tab showed last; it stays after sign-out. */
let shownId: string | undefined;
/** Tabs share the cookie. When one signs in or out, the others follow at once; otherwise they would act for another account. */
const tabs = new BroadcastChannel('tintype session');
tabs.addEventListener('message', () => void refresh(sessionKey));

export const sessionQuery = {
  queryKey: sessionKey,
  queryFn: async (): Promise<Session | null> => {
    const { signed_in } = await call('GET /session');
    forgetOthers(signed_in);
    return signed_in;
  },
  staleTime: 60_000,
  // main.tsx has tried before the app is mounted.
  retryOnMount: false,
};

/** `data` is null if nobody is signed in, and undefined while it is loaded again after an error. */
export const useSession = () => useQuery(sessionQuery);

export function useInstance() {
  return useQuery({
    queryKey: ['instance'],
    queryFn: () => call('GET /instance'),
    staleTime: 5 * 60_000,
  });
}

export function putSession(session: Session | null): void {
  const before = queries.getQueryData<Session | null>(sessionKey);
  forgetOthers(session);
  queries.setQueryData(sessionKey, session);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches only this origin
  if (before?.id !== session?.id) tabs.postMessage('changed');
}

/** After signing out. */
export function leave(): void {
  navigate('/sign-in');
  putSession(null);
}

/** Removes what belongs to the previous account: loaded data, and files that wait to be uploaded. */
function forgetOthers(session: Session | null): void {
  if (session === null || session.id === shownId) return;
  if (shownId !== undefined) {
    queries.removeQueries({ predicate: ({ queryKey }) => !lasting.includes(String(queryKey[0])) });
    clear();
  }
  shownId = session.id;
}

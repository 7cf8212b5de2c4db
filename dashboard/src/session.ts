// Who is signed in, and what this service offers.
import { useQuery } from '@tanstack/react-query';
import type { SignedIn } from '#http/dashboard/schemas/session.ts';
import { call, queries, sessionKey } from '#app/api.ts';

export type Session = SignedIn;

const lasting = [...sessionKey, 'instance'];

/** `data` is null if nobody is signed in, and undefined while loading. */
export function useSession() {
  return useQuery({
    queryKey: sessionKey,
    queryFn: async (): Promise<Session | null> => (await call('GET /session')).signed_in,
    staleTime: 60_000,
  });
}

export function useInstance() {
  return useQuery({
    queryKey: ['instance'],
    queryFn: () => call('GET /instance'),
    staleTime: 5 * 60_000,
  });
}

export function putSession(session: Session | null): void {
  const before = queries.getQueryData<Session | null>(sessionKey);
  // The cached data belongs to the previous account.
  if (before?.id !== session?.id)
    queries.removeQueries({ predicate: ({ queryKey }) => !lasting.includes(String(queryKey[0])) });
  queries.setQueryData(sessionKey, session);
}

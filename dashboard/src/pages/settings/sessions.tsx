// Where this account is signed in.
import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '#console/handlers.ts';
import { call } from '#app/api.ts';
import { ago } from '#app/format.ts';
import { Button } from '#app/parts/button.tsx';
import { SettingRow } from '#app/parts/setting-rows.tsx';
import { Chip, Loading, Problem } from '#app/parts/states.tsx';
import { useAction } from '#app/parts/use-action.ts';

type Item = AnswerOf<'GET /sessions'>['items'][number];

export function Sessions() {
  const { data, error, refetch } = useQuery({ queryKey: ['sessions'], queryFn: () => call('GET /sessions') });
  const endOthers = useAction(() => call('POST /sessions/sign-out-others'), {
    touches: ['sessions'],
    done: 'All other sessions are signed out.',
  });
  const hasOthers = data?.items.some(({ current }) => !current) === true;
  return (
    <SettingRow title="Sessions" intro="Where you are signed in.">
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading rows={1} />}
      <ul className="divide-y divide-line">
        {data?.items.map((item) => (
          <Row key={item.id} item={item} />
        ))}
      </ul>
      {hasOthers && (
        <Button small className="mt-3" busy={endOthers.isPending} onClick={() => endOthers.mutate(undefined)}>
          Sign out all others
        </Button>
      )}
    </SettingRow>
  );
}

function Row({ item }: { item: Item }) {
  const end = useAction(() => call('DELETE /sessions/:id', { id: item.id }), {
    touches: ['sessions'],
    done: 'Session signed out.',
  });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 py-3 first:pt-0 last:pb-0">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {nameOf(item.user_agent)}
          {item.current && <Chip tone="good">This one</Chip>}
        </p>
        <p className="text-sm text-quiet">
          {item.address ?? 'unknown address'} · since {ago(item.created_at)} · last active{' '}
          {ago(item.last_active_at)}
        </p>
      </div>
      {!item.current && (
        <Button small busy={end.isPending} onClick={() => end.mutate(undefined)}>
          Sign out
        </Button>
      )}
    </li>
  );
}

/** `Firefox on Linux`, as far as the User-Agent shows. */
function nameOf(agent: string | null): string {
  if (agent === null) return 'An unknown browser';
  const browser = [
    ['Edg/', 'Edge'],
    ['Firefox/', 'Firefox'],
    ['HeadlessChrome/', 'Headless Chrome'],
    ['Chrome/', 'Chrome'],
    ['Safari/', 'Safari'],
    ['curl/', 'curl'],
  ].find(([mark]) => agent.includes(mark!))?.[1];
  const system = [
    ['iPhone', 'iPhone'],
    ['Android', 'Android'],
    ['Windows', 'Windows'],
    ['Mac OS', 'macOS'],
    ['Linux', 'Linux'],
  ].find(([mark]) => agent.includes(mark!))?.[1];
  return `${browser ?? 'A browser'}${system === undefined ? '' : ` on ${system}`}`;
}

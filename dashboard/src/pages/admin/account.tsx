// What one account has and uses, for the owner: numbers and names only. The service records every look in the audit log.
import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '#console/handlers.ts';
import { ApiError, call } from '#app/api.ts';
import { ago, bytes, date, number, plural, scopeNames } from '#app/format.ts';
import { LinkButton } from '#app/parts/button.tsx';
import { Facts } from '#app/parts/dialog.tsx';
import { QuotaMeter } from '#app/parts/meter.tsx';
import { Page, Section } from '#app/parts/page.tsx';
import { Chip, Empty, Loading, Problem } from '#app/parts/states.tsx';
import { useSearch } from '#app/router.tsx';

type Look = AnswerOf<'GET /admin/accounts/:id'>;

export function AccountPage() {
  const [search] = useSearch();
  const id = search.get('id') ?? '';
  const { data, error, refetch } = useQuery({
    queryKey: ['account', id],
    queryFn: () => call('GET /admin/accounts/:id', { id }),
    // Each answer is one look; coming back to the tab is none.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  if (error instanceof ApiError && error.status === 404)
    return (
      <Empty
        icon="accounts"
        title="There is no such account"
        action={<LinkButton to="/admin/accounts">All accounts</LinkButton>}
      >
        The address may be mistyped, or the account was deleted.
      </Empty>
    );
  if (error && !data) return <Problem error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  return <Content look={data} />;
}

function Content({ look }: { look: Look }) {
  const { account, month, recent, stored, keys } = look;
  const { upload, render } = month.units;
  const until = `until ${date(month.resets_at)}`;
  return (
    <Page
      title={account.email}
      intro="What the account has and uses. This look is in the audit log."
      actions={
        <LinkButton to={`/admin/accounts?search=${encodeURIComponent(account.email)}`}>
          Find it among the accounts
        </LinkButton>
      }
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <QuotaMeter
          title="Uploads this month"
          unit={upload}
          foot={`${number(upload.remaining)} left ${until}`}
        />
        <QuotaMeter
          title="Renders this month"
          unit={render}
          foot={`${number(render.remaining)} left ${until}`}
        />
      </div>
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <Section title="Account">
          <Facts
            facts={[
              ['Plan', month.plan.name],
              ['State', stateOf(account)],
              ['Since', date(account.created_at)],
              ['Overages', account.overages ? 'on' : 'off'],
              ['Private hosts', account.allowed_hosts.join(', ') || 'none'],
            ]}
          />
        </Section>
        <Section title="Files">
          <Facts
            facts={[
              [`Uploaded in the last ${recent.days} days`, plural(recent.upload, 'unit')],
              [`Rendered in the last ${recent.days} days`, plural(recent.render, 'unit')],
              ['Uploads now, without deleted ones', sumOf(stored.uploads)],
              ['Hosted renders now', sumOf(stored.renders)],
            ]}
          />
        </Section>
      </div>
      <Section title="API keys" intro="Their names and last use. Nobody can read a key here.">
        {keys.length === 0 ? (
          <p className="text-quiet">None.</p>
        ) : (
          <ul className="-mb-2 divide-y divide-line border-t">
            {keys.map((key) => (
              <li key={key.id} className="flex flex-wrap items-baseline justify-between gap-x-4 py-2.5">
                <span className="flex min-w-0 flex-wrap items-center gap-2">
                  <span dir="auto" className="font-medium wrap-anywhere">
                    {key.name}
                  </span>
                  {key.state !== 'active' && <Chip>{key.state}</Chip>}
                </span>
                <span className="text-sm text-quiet">
                  {key.scope !== 'all' && `${scopeNames[key.scope]} · `}
                  {key.last_used_at === null ? 'never used' : `used ${ago(key.last_used_at)}`}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Section>
    </Page>
  );
}

function stateOf({ suspended, suspended_reason, verified, owner }: Look['account']): string {
  if (suspended) return `suspended: ${suspended_reason ?? 'no reason given'}`;
  if (!verified) return 'unverified';
  return owner ? 'owner' : 'verified';
}

const sumOf = ({ files, bytes: sum, is_more }: Look['stored']['uploads']): string =>
  `${number(files)} · ${bytes(sum)}${is_more ? ' or more' : ''}`;

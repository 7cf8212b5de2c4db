// The audit log of administration, newest first.
import type { AnswerOf } from '#console/handlers.ts';
import { call } from '#app/api.ts';
import { ago, time } from '#app/format.ts';
import { Page } from '#app/parts/page.tsx';
import { PagedList, usePaged } from '#app/parts/paged.tsx';
import { Empty } from '#app/parts/states.tsx';

type Item = AnswerOf<'GET /admin/audit'>['items'][number];

export function Audit() {
  const query = usePaged(['audit'], (cursor) => call('GET /admin/audit', { query: { cursor, limit: 50 } }));
  return (
    <Page title="Audit log" intro="Every change that an owner made, and every look into an account.">
      <PagedList
        query={query}
        empty={
          <Empty icon="audit" title="Nothing was changed yet">
            Plans, verification, suspension: each change appears here with who made it and when.
          </Empty>
        }
      >
        {(items) => (
          <ol className="card divide-y divide-line">
            {items.map((item) => (
              <Row key={item.id} item={item} />
            ))}
          </ol>
        )}
      </PagedList>
    </Page>
  );
}

const actions: Record<string, string> = {
  'account.create': 'Created the account',
  'account.look': 'Looked into the account',
  'account.update': 'Changed the account',
  'account.suspend': 'Suspended the account',
  'account.reinstate': 'Lifted the suspension of',
  'account.link': 'Made a link for',
  'account.delete': 'Deleted an account',
  'account.sign_in_without_code': 'Signed in by a link, without a two-step code:',
  'link_key.create': 'Made a link key for',
  'link_key.revoke': 'Revoked a link key of',
  'plan.create': 'Made a plan',
  'plan.update': 'Changed a plan',
  'plan.delete': 'Deleted a plan',
  'plan.reset': 'Reset a plan to its built-in numbers',
  'settings.update': 'Changed the installation',
};

/** `suspendedReason` and `suspended_reason` read as `suspended reason`. */
const words = (name: string): string =>
  name.replaceAll('_', ' ').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function Row({ item }: { item: Item }) {
  const detail = Object.entries(item.detail);
  return (
    <li className="px-4 py-3 sm:px-5">
      <p className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="wrap-anywhere">
          <span className="font-medium">{actions[item.action] ?? item.action}</span>
          {item.target !== null && <> {item.target}</>}
        </span>
        <time dateTime={item.at} title={time(item.at)} className="text-sm text-quiet">
          {ago(item.at)}
        </time>
      </p>
      <p className="text-sm text-quiet wrap-anywhere">
        by {item.actor}
        {detail.map(([name, value]) => (
          <span key={name}>
            {' '}
            · {words(name)}: {typeof value === 'string' ? value : JSON.stringify(value)}
          </span>
        ))}
      </p>
    </li>
  );
}

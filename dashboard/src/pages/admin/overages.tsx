// Accounts that exceeded their quota in a month, for billing.
import { useQuery } from '@tanstack/react-query';
import { call, fileAddress } from '#app/api.ts';
import { number } from '#app/format.ts';
import { AnchorButton } from '#app/parts/button.tsx';
import { Select } from '#app/parts/field.tsx';
import { Page } from '#app/parts/page.tsx';
import { Empty, Loading, Problem } from '#app/parts/states.tsx';
import { useSearch } from '#app/router.tsx';

const names = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

function lastMonths(): { value: string; text: string }[] {
  const now = new Date();
  return Array.from({ length: 12 }, (_, back) => {
    const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1));
    return { value: first.toISOString().slice(0, 7), text: names.format(first) };
  });
}

export function Overages() {
  const [search, setSearch] = useSearch();
  const months = lastMonths();
  const month = months.find(({ value }) => value === search.get('month'))?.value ?? months[0]!.value;
  const { data, error, refetch } = useQuery({
    queryKey: ['overages', month],
    queryFn: () => call('GET /admin/overages', { query: { month } }),
  });
  return (
    <Page
      title="Overages"
      intro="Units past the quota of accounts that switched overages on."
      actions={
        <>
          <Select
            aria-label="Month"
            choices={months}
            value={month}
            onChange={(event) => setSearch({ month: event.target.value })}
          />
          <AnchorButton href={fileAddress('/admin/overages.csv', { month })} download icon="download">
            CSV
          </AnchorButton>
        </>
      }
    >
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.items.length === 0 && (
        <Empty icon="overages" title="No overages in this month">
          An account appears here when it has used a unit past its quota.
        </Empty>
      )}
      {data && data.items.length > 0 && (
        <div className="overflow-x-auto card">
          <table className="w-full text-left">
            <thead className="text-sm text-quiet">
              <tr>
                <th scope="col" className="px-5 py-3 font-medium">
                  Account
                </th>
                <th scope="col" className="px-5 py-3 font-medium max-sm:hidden">
                  Plan
                </th>
                <th scope="col" className="px-5 py-3 text-right font-medium">
                  Uploads
                </th>
                <th scope="col" className="px-5 py-3 text-right font-medium">
                  Renders
                </th>
              </tr>
            </thead>
            <tbody className="tabular-nums">
              {data.items.map((item) => (
                <tr key={item.account_id} className="border-t">
                  <th scope="row" className="px-5 py-3 font-medium wrap-anywhere">
                    {item.email}
                  </th>
                  <td className="px-5 py-3 text-quiet max-sm:hidden">{item.plan}</td>
                  <td className="px-5 py-3 text-right">{number(item.upload)}</td>
                  <td className="px-5 py-3 text-right">{number(item.render)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Page>
  );
}

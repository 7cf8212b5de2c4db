// Shown at the top of every page when the month's quota is used up: what stops, until when, and what to do.
import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '#console/handlers.ts';
import { call } from '#app/api.ts';
import { date, number } from '#app/format.ts';
import { LinkButton } from '#app/parts/button.tsx';
import { Operator } from '#app/parts/operator.tsx';
import { Banner } from '#app/parts/states.tsx';

const everyMs = 60_000;

export function QuotaNotice() {
  const range = { days: 1 };
  const { data } = useQuery({
    queryKey: ['usage', range],
    queryFn: () => call('GET /usage', { query: range }),
    staleTime: everyMs,
    refetchInterval: everyMs,
  });
  if (!data) return null;
  return (['upload', 'render'] as const).map((unit) => <UsedUp key={unit} usage={data} unit={unit} />);
}

function UsedUp({ usage, unit }: { usage: AnswerOf<'GET /usage'>; unit: 'upload' | 'render' }) {
  const { used, limit } = usage.units[unit];
  const { available, enabled, cap } = usage.overages;
  // With overages on, the limit is the quota plus their cap.
  const max = limit + (enabled ? (cap ?? Infinity) : 0);
  if (used < max || limit === 0) return null;
  const noun = unit === 'upload' ? 'uploads' : 'renders';
  return (
    <Banner
      tone="danger"
      title={`This month’s ${noun} are used up`}
      action={
        available && (
          <LinkButton to="/usage" tone="primary">
            {enabled ? 'Raise the cap' : 'Turn on overages'}
          </LinkButton>
        )
      }
    >
      All {number(max)} are used, so new {noun} are refused with 402 until {date(usage.resets_at)}.{' '}
      {available ? (
        'Turn on overages or raise their cap to continue now.'
      ) : (
        <>
          For a larger plan, which lifts the limit at once, write to <Operator />.
        </>
      )}
    </Banner>
  );
}

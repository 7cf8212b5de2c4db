// When new links expire. It can be chosen before the upload, or afterwards for files that were just stored.
import { span } from '#app/format.ts';
import { Select } from '#app/parts/field.tsx';
import type { Session } from '#app/session.ts';
import { setExpiry, useQueue } from '#app/uploading/queue.ts';

const lives = [3_600, 86_400, 604_800, 2_592_000, 31_536_000];

/** The lifetimes that the plan allows, from an hour to a year. */
export const livesWithin = (cap: number | null): number[] =>
  lives.filter((seconds) => cap === null || seconds <= cap);

export function ExpirySelect({ session, className = '' }: { session: Session; className?: string }) {
  const { expiresIn } = useQueue();
  const cap = session.plan.max_link_seconds;
  return (
    <Select
      aria-label="Expiry of new uploads"
      className={className}
      value={expiresIn === undefined ? '' : String(expiresIn)}
      choices={[
        { value: '', text: cap === null ? 'Links never expire' : `Links expire in ${span(cap)}` },
        ...livesWithin(cap)
          .filter((seconds) => seconds !== cap)
          .map((seconds) => ({ value: String(seconds), text: `Links expire in ${span(seconds)}` })),
      ]}
      onChange={({ target }) => void setExpiry(target.value === '' ? undefined : Number(target.value), cap)}
    />
  );
}

// The switch for overages, which allow requests past the quota, with an optional hard cap.
import { useState } from 'react';
import type { AnswerOf } from '#console/handlers.ts';
import { call, queries } from '#app/api.ts';
import { number } from '#app/format.ts';
import { Button } from '#app/parts/button.tsx';
import { Switch, TextField } from '#app/parts/field.tsx';
import { Section } from '#app/parts/page.tsx';
import { useAction } from '#app/parts/use-action.ts';

type UsageAnswer = AnswerOf<'GET /usage'>;

export function Overages({ usage }: { usage: UsageAnswer }) {
  const { available, enabled, cap } = usage.overages;
  const change = useAction(
    (next: { enabled: boolean; cap: number | null }) => call('PATCH /overages', { body: next }),
    {
      touches: ['usage', 'overview'],
      onDone: ({ overages }) =>
        queries.setQueriesData<UsageAnswer>({ queryKey: ['usage'] }, (data) => data && { ...data, overages }),
    },
  );
  // The switch moves at once; a refusal moves it back and says why.
  const isOn = change.isPending ? change.variables.enabled : enabled;
  if (!available)
    return (
      <Section
        title="Overages"
        intro="This plan stops at its quota: after that, requests answer 402 until the month ends. Plans with overages continue."
      />
    );
  return (
    <Section
      title="Overages"
      intro={
        isOn
          ? 'On: requests continue past the quota, and each unit is counted as an overage to be billed.'
          : 'Off: past the quota, requests answer 402 until the month ends.'
      }
      actions={
        <Switch
          label="Overages"
          checked={isOn}
          disabled={change.isPending}
          onChange={(next) => change.mutate({ enabled: next, cap })}
        />
      }
    >
      {isOn && (
        <Cap
          key={cap}
          cap={cap}
          busy={change.isPending}
          onChange={(next) => change.mutate({ enabled: true, cap: next })}
        />
      )}
    </Section>
  );
}

function Cap({
  cap,
  busy,
  onChange,
}: {
  cap: number | null;
  busy: boolean;
  onChange: (cap: number | null) => void;
}) {
  const [text, setText] = useState(cap === null ? '' : String(cap));
  const next = text === '' ? null : Number(text);
  return (
    <form
      className="flex flex-wrap items-start gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onChange(next);
      }}
    >
      <TextField
        label="Hard cap"
        type="number"
        min={0}
        max={1_000_000_000}
        step={1}
        placeholder="no cap"
        value={text}
        onChange={(event) => setText(event.target.value)}
        hint={
          cap === null
            ? 'Units of each type past the quota, at most. Empty for none.'
            : `At most ${number(cap)} units of each type past the quota.`
        }
        className="w-full max-w-sm"
      />
      <Button type="submit" className="sm:mt-[1.7rem]" busy={busy} disabled={next === cap}>
        Save cap
      </Button>
    </form>
  );
}

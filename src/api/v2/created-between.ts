// The two times that a list can be narrowed to: made after the one and before the other. Spec 10.1, 10.8.
import { Type } from 'typebox';
import { invalid } from '#core/errors.ts';
import type { TimeFilter } from '#storage/tables/stored.ts';

const time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }));

export const createdBetween = {
  created_after: time('Only what was made after this time, such as 2026-01-31T09:00:00Z.'),
  created_before: time('Only what was made before this time, such as 2026-01-31T09:00:00Z.'),
};

interface Given {
  created_after?: string | undefined;
  created_before?: string | undefined;
}

export const timesOf = ({ created_after, created_before }: Given): TimeFilter => ({
  since: msOf('created_after', created_after),
  before: msOf('created_before', created_before),
});

function msOf(field: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const ms = Date.parse(given);
  // A leap second is a date-time that no clock here knows.
  if (Number.isNaN(ms))
    throw invalid(field, 'must be a time without a leap second; send the second after it');
  return ms;
}

// The input of the dashboard pages for API keys, integrations, usage and the request log.
import { Type, type Static } from 'typebox';
import { expected } from '#core/keywords.ts';
import { toolNames } from '#console/integrations.ts';
import { loggedPaths } from '#api/contract.ts';
import { keyScopes } from '#storage/schema.ts';
import { choice, object, pageQuery, text, time } from '#api/common-schemas.ts';

const graceSeconds = [0, 3_600, 86_400, 604_800] as const;

const keyName = text(1, 50);

/** Null for a key that is limited by the plan alone. */
const unitsPerMonth = Type.Optional(
  Type.Union([Type.Integer({ minimum: 0, maximum: 1_000_000_000 }), Type.Null()]),
);
const ownQuota = { uploads_per_month: unitsPerMonth, renders_per_month: unitsPerMonth };

export const CreateKey = object({
  name: keyName,
  scope: Type.Optional(choice(keyScopes, { default: 'all' })),
  /** Omitted for a key that does not expire. */
  expires_at: Type.Optional(time),
  ...ownQuota,
});
export const ChangeKey = object({ name: keyName, ...ownQuota });
export const RotateKey = object({
  grace_seconds: Type.Unsafe<(typeof graceSeconds)[number]>({
    enum: [...graceSeconds],
    description: 'How long the old key still works.',
  }),
});

/** Creates a key for the tool and puts it into the file, which is therefore returned only once. */
export const MakeIntegration = object({ tool: choice(toolNames) });

const day = Type.String({
  pattern: String.raw`^\d{4}-\d{2}-\d{2}$`,
  description: 'A day such as 2026-11-30.',
});
/** The last days up to today, or the days from one to another (UTC, both included); at most a year. */
export const UsageQuery = object({
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: 366, default: 30 })),
  from: Type.Optional(day),
  to: Type.Optional(day),
});
export type UsageQuery = Static<typeof UsageQuery>;
export const ChangeOverages = object({
  enabled: Type.Boolean(),
  cap: Type.Union([Type.Integer({ minimum: 0, maximum: 1_000_000_000 }), Type.Null()], {
    [expected]: 'an integer from 0 to 1000000000, or null for none',
  }),
});

export const RequestsQuery = object({
  ...pageQuery,
  outcome: Type.Optional(choice(['succeeded', 'failed', '4xx', '5xx'])),
  path: Type.Optional(choice(loggedPaths)),
  /** Only the last hour, day or week. */
  within: Type.Optional(choice(['hour', 'day', 'week'])),
  /** From the first time on, and before the second; either or both. */
  since: Type.Optional(time),
  until: Type.Optional(time),
  key_id: Type.Optional(Type.String({ maxLength: 40 })),
  /** A complete request id, from the x-request-id of a response. */
  search: Type.Optional(Type.String({ maxLength: 100 })),
});

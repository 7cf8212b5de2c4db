// API keys, integrations, usage and the request log.
import { Type, type Static } from 'typebox';
import { toolNames } from '#http/dashboard/integrations.ts';
import { keyScopes } from '#storage/schema.ts';
import { limits } from '#core/limits.ts';
import {
  choice,
  count,
  id,
  nextCursor,
  orNull,
  pageQuery,
  Plan,
  strict,
  text,
  time,
  unit,
  UnitUsage,
} from '#http/dashboard/schemas/common.ts';

export const graceSeconds = [0, 3_600, 86_400, 604_800] as const;

const keyName = text(1, 50);

export const Key = Type.Object(
  {
    id,
    name: Type.String(),
    /** First and last characters. */
    display: Type.String(),
    created_at: time,
    last_used_at: orNull(time),
    scope: choice(keyScopes),
    expires_at: orNull(time),
    /** `ending`: rotated; works until `ends_at`. */
    state: choice(['active', 'ending', 'revoked', 'expired']),
    ends_at: orNull(time),
    /** Units over the last 30 days. */
    uses: Type.Object({ upload: count, render: count }, strict),
  },
  strict,
);
export type Key = Static<typeof Key>;

export const Keys = Type.Object(
  { items: Type.Array(Key), limit: Type.Literal(limits.keysPerAccount) },
  strict,
);
export const CreateKey = Type.Object(
  {
    name: keyName,
    scope: Type.Optional(choice(keyScopes, { default: 'all' })),
    /** Omitted for a key that does not expire. */
    expires_at: Type.Optional(time),
  },
  strict,
);
export const NameKey = Type.Object({ name: keyName }, strict);
/** `secret` is the key itself, returned only once. */
export const CreatedKey = Type.Object({ secret: Type.String(), key: Key }, strict);
export const RotateKey = Type.Object(
  {
    grace_seconds: Type.Unsafe<(typeof graceSeconds)[number]>({
      enum: [...graceSeconds],
      description: 'How long the old key still works.',
    }),
  },
  strict,
);

/** Creates a key for the tool and puts it into the file, which is therefore returned only once. */
export const MakeIntegration = Type.Object({ tool: choice(toolNames) }, strict);
export const Integration = Type.Object(
  { filename: Type.String(), content_type: Type.String(), content: Type.String(), key: Key },
  strict,
);

const day = Type.String({
  pattern: String.raw`^\d{4}-\d{2}-\d{2}$`,
  description: 'A day such as 2026-11-30.',
});
/** The last days up to today, or the days from one to another (UTC, both included); at most a year. */
export const UsageQuery = Type.Object(
  {
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 366, default: 30 })),
    from: Type.Optional(day),
    to: Type.Optional(day),
  },
  strict,
);
export type UsageQuery = Static<typeof UsageQuery>;
export const Usage = Type.Object(
  {
    plan: Plan,
    month: Type.String(),
    resets_at: time,
    units: Type.Object({ upload: UnitUsage, render: UnitUsage }, strict),
    overages: Type.Object(
      {
        /** Whether the plan offers them. */
        available: Type.Boolean(),
        enabled: Type.Boolean(),
        /** The most units of each type past the quota; null for no cap. */
        cap: orNull(count),
      },
      strict,
    ),
    /** The first and the last day, UTC; days without usage are omitted. */
    from: Type.String(),
    to: Type.String(),
    /** Days per column of a chart; the last column ends with the last day. */
    step_days: Type.Integer({ minimum: 1 }),
    /** Responses and their durations, for each column that has any; `day` is its first day. */
    requests: Type.Array(
      Type.Object(
        {
          day: Type.String(),
          unit,
          succeeded: count,
          refused: count,
          failed: count,
          p50_ms: orNull(count),
          p95_ms: orNull(count),
        },
        strict,
      ),
    ),
    daily: Type.Array(
      Type.Object({ day: Type.String(), unit, key_id: orNull(id), used: count, overage: count }, strict),
    ),
    /** Names of the keys above; null in `daily` stands for the dashboard. */
    keys: Type.Array(Type.Object({ id, name: Type.String(), display: Type.String() }, strict)),
  },
  strict,
);
export const ChangeOverages = Type.Object(
  {
    enabled: Type.Boolean(),
    cap: Type.Union([Type.Integer({ minimum: 0, maximum: 1_000_000_000 }), Type.Null()], {
      description: 'Cap: an integer from 0 to 1000000000, or null for none.',
    }),
  },
  strict,
);

export const RequestsQuery = Type.Object(
  {
    ...pageQuery,
    outcome: Type.Optional(choice(['succeeded', 'failed', '4xx', '5xx'])),
    path: Type.Optional(
      choice(['/api/v1/upload', '/api/v1/upload/batch', '/api/v1/screenshot', '/api/v1/pdf']),
    ),
    /** Only the last hour, day or week. */
    within: Type.Optional(choice(['hour', 'day', 'week'])),
    /** From the first time on, and before the second; either or both. */
    since: Type.Optional(time),
    until: Type.Optional(time),
    key_id: Type.Optional(Type.String({ maxLength: 40 })),
    /** A complete request id, from the x-request-id of a response. */
    search: Type.Optional(Type.String({ maxLength: 100 })),
  },
  strict,
);
const RequestItem = Type.Object(
  {
    request_id: id,
    at: time,
    path: Type.String(),
    status: count,
    code: orNull(Type.String()),
    /** The error's message; for a 401 the reason that the client does not see: revoked key, unverified account and so on. */
    reason: orNull(Type.String()),
    key_id: orNull(id),
    key_name: orNull(Type.String()),
    duration_ms: count,
    /** The field of the request that the error is about. */
    field: orNull(Type.String()),
    /** Its steps in order. */
    phases: Type.Array(Type.Object({ name: Type.String(), ms: count }, strict)),
    /** What it stored. */
    made: Type.Array(Type.Object({ kind: unit, id }, strict)),
  },
  strict,
);
export const Requests = Type.Object({ items: Type.Array(RequestItem), next_cursor: nextCursor }, strict);

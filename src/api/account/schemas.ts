// What an API key can read about its own account, in addition to the contract's endpoints.
import { Type } from 'typebox';
import { keyScopes } from '#storage/schema.ts';
import { choice, object, orNull, time } from '#api/common-schemas.ts';

const id = Type.String();
const count = Type.Integer({ minimum: 0 });
const nextCursor = orNull(Type.String());

const AccountUpload = object(
  {
    id,
    slug: Type.String(),
    url: Type.String(),
    file_url: Type.String(),
    filename: Type.String(),
    content_type: Type.String(),
    size_bytes: count,
    width: orNull(count),
    height: orNull(count),
    created_at: time,
    expires_at: orNull(time),
    key_id: orNull(id),
  },
  {
    description:
      'An upload that still resolves. Its delete_url is not here: the service keeps only a hash of the token.',
  },
);
export const AccountUploads = object({ items: Type.Array(AccountUpload), next_cursor: nextCursor });

const AccountRender = object({
  id,
  kind: choice(['screenshot', 'pdf']),
  target: Type.String(),
  status: choice(['done', 'failed']),
  failure: orNull(Type.String()),
  content_type: Type.String(),
  size_bytes: orNull(count),
  duration_ms: orNull(count),
  options: Type.Record(Type.String(), Type.Unknown()),
  url: orNull(Type.String()),
  created_at: time,
  expires_at: orNull(time),
  key_id: orNull(id),
});
export const AccountRenders = object({ items: Type.Array(AccountRender), next_cursor: nextCursor });

const UnitUsage = object({
  used: count,
  limit: count,
  remaining: count,
  percent: count,
  warning: orNull(count),
  overage: count,
});

const Plan = object({
  id,
  name: Type.String(),
  uploads_per_month: count,
  renders_per_month: count,
  requests_per_minute: count,
  concurrent_renders: count,
  overages: Type.Boolean(),
  paid: Type.Boolean(),
  max_link_seconds: orNull(count),
});

export const AccountUsage = object({
  plan: Plan,
  month: Type.String({ description: 'The quota month, such as 2026-11, UTC.' }),
  resets_at: Type.String({ format: 'date-time', description: 'When the next month begins.' }),
  units: object({ upload: UnitUsage, render: UnitUsage }),
  overages: object({
    enabled: Type.Boolean({ description: 'Whether units past the quota are billed instead of refused.' }),
    cap: orNull(count),
  }),
  requests: object({ limit: count, remaining: count, reset_seconds: count }),
  key: object(
    { id, name: Type.String(), scope: choice(keyScopes), expires_at: orNull(time) },
    { description: 'The key that asked.' },
  ),
});

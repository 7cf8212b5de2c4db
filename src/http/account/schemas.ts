// What an API key can read about its own account, in addition to the contract's endpoints.
import { Type } from 'typebox';
import {
  choice,
  count,
  nextCursor,
  orNull,
  Plan,
  strict,
  time,
  UnitUsage,
} from '#http/dashboard/schemas/common.ts';
import { Render, Upload } from '#http/dashboard/schemas/files.ts';

const { thumbnail_url: _uploadThumbnail, ...uploadFields } = Upload.properties;
const { thumbnail_url: _renderThumbnail, ...renderFields } = Render.properties;

const AccountUpload = Type.Object(uploadFields, {
  ...strict,
  description:
    'An upload that still resolves. Its delete_url is not here: the service keeps only a hash of the token.',
});
export const AccountUploads = Type.Object(
  { items: Type.Array(AccountUpload), next_cursor: nextCursor },
  strict,
);
export const AccountRenders = Type.Object(
  { items: Type.Array(Type.Object(renderFields, strict)), next_cursor: nextCursor },
  strict,
);

export const AccountUsage = Type.Object(
  {
    plan: Plan,
    month: Type.String({ description: 'The quota month, such as 2026-11, UTC.' }),
    resets_at: Type.String({ format: 'date-time', description: 'When the next month begins.' }),
    units: Type.Object({ upload: UnitUsage, render: UnitUsage }, strict),
    overages: Type.Object(
      {
        enabled: Type.Boolean({ description: 'Whether units past the quota are billed instead of refused.' }),
        cap: orNull(count),
      },
      strict,
    ),
    requests: Type.Object({ limit: count, remaining: count, reset_seconds: count }, strict),
    key: Type.Object(
      {
        id: Type.String(),
        name: Type.String(),
        scope: choice(['all', 'uploads', 'renders']),
        expires_at: orNull(time),
      },
      { ...strict, description: 'The key that asked.' },
    ),
  },
  strict,
);

// Schemas that several pages of the dashboard share.
import { Type, type Static, type TSchema } from 'typebox';

export const strict = { additionalProperties: false };

export const text = (minLength: number, maxLength: number) => Type.String({ minLength, maxLength });
export const choice = <T extends string>(
  values: readonly T[],
  options: { default?: T; description?: string } = {},
) => Type.Unsafe<T>({ type: 'string', enum: values, ...options });
export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const id = Type.String();
/** ISO 8601, UTC. */
export const time = Type.String({ format: 'date-time' });
export const count = Type.Integer({ minimum: 0 });
export const unit = choice(['upload', 'render']);

export const Done = Type.Object({ done: Type.Literal(true) }, strict);

/** How a mail was delivered: `logged` when SMTP_URL is not set; its link is then in the service log. */
const mail = choice(['sent', 'logged']);
export const Mailed = Type.Object({ mail }, strict);
/** Includes the link itself for an owner of a service that sends no mail, to pass on or to follow. */
export const Linked = Type.Object({ mail, link: orNull(Type.String()) }, strict);

/** Where the next page begins; sent back as `cursor`. Null on the last page. */
export const nextCursor = orNull(Type.String());
export const pageQuery = {
  cursor: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'The next_cursor of the page before; none for the first page.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Items on a page, 1 to 200.' }),
  ),
};

export const UnitUsage = Type.Object(
  {
    used: count,
    limit: count,
    remaining: count,
    percent: count,
    /** 80, 90 or 100 once usage has crossed it. */
    warning: orNull(count),
    overage: count,
  },
  strict,
);
export type UnitUsage = Static<typeof UnitUsage>;

export const Plan = Type.Object(
  {
    id,
    name: Type.String(),
    uploads_per_month: count,
    renders_per_month: count,
    requests_per_minute: count,
    concurrent_renders: count,
    overages: Type.Boolean(),
    paid: Type.Boolean(),
    max_link_seconds: orNull(count),
  },
  strict,
);

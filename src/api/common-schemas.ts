// Schemas that several pages of the dashboard share.
import { Type, type TProperties, type TSchema } from 'typebox';

/** An object with these properties and no others. */
export const object = <T extends TProperties>(properties: T, options: { description?: string } = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });
export const text = (minLength: number, maxLength: number) => Type.String({ minLength, maxLength });
export const choice = <T extends string>(
  values: readonly T[],
  options: { default?: T; description?: string } = {},
) => Type.Unsafe<T>({ type: 'string', enum: values, ...options });
export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** ISO 8601, UTC. */
export const time = Type.String({ format: 'date-time' });

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

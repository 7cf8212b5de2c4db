// What the schemas of requests are written with. An option of a render is described twice: as a field of the request, and as a field
// of the metadata, which says what was used.
import { Type, type TOptional, type TProperties, type TSchema } from 'typebox';

export const strict = { additionalProperties: false };

/** How the metadata of a render describes an option. A symbol, so that it is not part of the published schema. */
export const used = Symbol('used');

/** The most bytes that a text may have in UTF-8. A symbol: JSON Schema counts characters, and the description says it. */
export const maxBytes = Symbol('max bytes');

interface Bounds {
  min: number;
  max: number;
  default: number;
}

export const choice = <T extends string>(
  values: readonly T[],
  options: { description: string; default?: T },
) => Type.Unsafe<T>({ type: 'string', enum: values, ...options });
export const oneOf = <T extends string>(
  values: readonly T[],
  fallback: T,
  description: string,
  usedAs: string,
) => Type.Unsafe<T>({ ...choice(values, { default: fallback, description }), [used]: usedAs });
/** If it is on by default, its description begins with a verb: `tt` says "Do not" before it. */
export const flag = (fallback: boolean, description: string, usedAs: string) =>
  Type.Boolean({ default: fallback, description, [used]: usedAs });
export const within = ({ min, max, default: fallback }: Bounds, description: string, usedAs?: string) => ({
  minimum: min,
  maximum: max,
  default: fallback,
  description,
  [used]: usedAs,
});

/** A text of at least one byte. */
export const sizedText = (limit: number, description: string) =>
  Type.String({
    minLength: 1,
    [maxBytes]: limit,
    description: `${description} 1 to ${limit.toLocaleString('en')} bytes of UTF-8.`,
  });

export const optional = <T extends TProperties>(fields: T) =>
  mapped(fields, Type.Optional) as { [Name in keyof T]: TOptional<T[Name]> };

/** The options of a render as its metadata has them: all are there, and have no bounds. */
export const asUsed = (fields: TProperties): TProperties =>
  mapped(fields, (field) => {
    const { type, enum: values, anyOf, properties, [used]: description } = field as UsedSchema;
    const texts = description === undefined ? {} : { description };
    if (properties) return Type.Object(asUsed(properties), { ...strict, ...texts });
    if (anyOf) return Type.Unsafe({ anyOf: anyOf.map((one) => ({ type: one.type })), ...texts });
    return Type.Unsafe({ type, ...(values && { enum: values }), ...texts });
  });

interface UsedSchema {
  type?: string;
  enum?: string[];
  anyOf?: { type: string }[];
  properties?: TProperties;
  [used]?: string;
}

const mapped = (fields: TProperties, change: (field: TSchema) => TSchema): TProperties =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(field)]));

// What the schemas of requests are written with. An option of a render is described twice: as a field of the request, and as a field
// of the metadata, which says what was used.
import { Type, type TOptional, type TProperties, type TSchema } from 'typebox';
import { expected, maxBytes } from '#core/keywords.ts';

export const strict = { additionalProperties: false };

/** How the metadata of a render describes an option. A symbol, so that it is not part of the published schema. */
export const used = Symbol('used');

/** A description that says what is expected. */
export const saying = (what: string, kinds: string) => ({
  [expected]: kinds,
  description: `${what}: ${kinds}.`,
});

/** The unit of a number, for programs that show a form or help. Only the document of version 2 has it. */
export const unit = (of: Unit) => ({ 'x-unit': of });
type Unit = 'px' | 'ms' | 's' | 'm' | 'degrees';

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
interface Shape {
  minLength?: number;
  default?: unknown;
  'x-unit'?: Unit;
}

/** A text of at least one character. */
export const text = (most: number, description: string, options: Shape = {}) =>
  Type.String({ minLength: 1, maxLength: most, ...options, description });
export const integer = (minimum: number, maximum: number, description: string, options: Shape = {}) =>
  Type.Integer({ minimum, maximum, ...options, description });
export const uri = (description: string) => Type.String({ format: 'uri', description });
export const flagOff = (description: string) => Type.Boolean({ default: false, description });
export const within = ({ min, max, default: fallback }: Bounds, description: string, usedAs?: string) => ({
  minimum: min,
  maximum: max,
  default: fallback,
  description,
  [used]: usedAs,
});

/** Some of a few names. */
export const listOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Array(choice(values, { description: 'One of them.' }), {
    maxItems: values.length,
    default: [],
    description,
  });

export const selector = (description: string) =>
  Type.String({ minLength: 1, maxLength: 500, description: `${description} A CSS selector.` });

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

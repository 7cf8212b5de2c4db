// The fields of a request as its generated schema describes them: the inputs of the MCP tools, the flags of `tt` and the forms of the
// dashboard's playground are made from these.

/** The part of JSON Schema that the requests use. */
export interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  enum?: readonly string[];
  anyOf?: readonly Schema[];
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: boolean;
  items?: Schema;
  maxProperties?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  contentMediaType?: string;
  /** A secret. */
  writeOnly?: boolean;
  default?: unknown;
  description?: string;
  /** The formats of an output that the field fits; all if it is left out. */
  'x-formats'?: readonly string[];
  'x-group'?: string;
  'x-unit'?: string;
}

export interface ObjectSchema extends Schema {
  type: 'object';
  properties: Record<string, Schema>;
}

export interface Field {
  /** The name in the request body; a dot leads into a nested object, as in `margin.top`. */
  path: string;
  schema: Schema;
}

type Body = Record<string, unknown>;

/** The schema without some of its fields. */
export function omit(schema: ObjectSchema, ...names: string[]): ObjectSchema {
  const kept = Object.entries(schema.properties).filter(([name]) => !names.includes(name));
  return { ...schema, properties: Object.fromEntries(kept) };
}

/** The fields that have a value; those of a nested object in its place, unless `isWhole` says that it is one. */
export function fieldsOf(
  schema: Schema,
  isWhole: (inner: Schema) => boolean = () => false,
  outer = '',
): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) =>
    inner.properties && !isWhole(inner)
      ? fieldsOf(inner, isWhole, `${outer}${name}.`)
      : [{ path: outer + name, schema: inner }],
  );
}

export const valueAt = (body: Body, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Body | undefined)?.[name], body);

/** Sets a value, in objects that are made where they are missing. */
export function setValue(body: Body, path: string, value: unknown): void {
  const names = path.split('.');
  const last = names.pop() as string;
  const place = names.reduce((outer, name) => (outer[name] ??= {}) as Body, body);
  place[last] = value;
}

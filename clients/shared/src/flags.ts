// The flags of `tt` for the fields of a request.
import { fieldsOf, type Field, type ObjectSchema, type Schema } from './fields.ts';

export interface Flag extends Field {
  /** Without the dashes. */
  name: string;
  /**
   * A `switch` takes no value and sets the opposite of the default. `sides` takes one to four sizes, as `margin` in CSS. A `list` is given
   * once for each value.
   */
  kind: 'switch' | 'sides' | 'list' | 'number' | 'text';
}

export const sides = ['top', 'right', 'bottom', 'left'];

const isSides = ({ properties }: Schema): boolean => Object.keys(properties ?? {}).join() === sides.join();

export const flagsOf = (schema: ObjectSchema): Flag[] =>
  fieldsOf(schema, isSides).map((field) => ({ ...field, name: nameOf(field), kind: kindOf(field.schema) }));

function nameOf({ path, schema }: Field): string {
  // A viewport's width is --width, for screenshots and PDFs alike.
  const name = path
    .replace(/^viewport\./, '')
    // One each time that it is given.
    .replace(/^tags$/, 'tag')
    // --header is one of the request.
    .replace(/^(header|footer)$/, 'page-$1')
    .replaceAll(/[._]/g, '-');
  return schema.default === true ? `no-${name}` : name;
}

function kindOf(schema: Schema): Flag['kind'] {
  if (schema.type === 'boolean') return 'switch';
  if (isSides(schema)) return 'sides';
  if (schema.type === 'array') return 'list';
  return schema.type === 'integer' || schema.type === 'number' ? 'number' : 'text';
}

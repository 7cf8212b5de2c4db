// What a field of a render request is: one row. The schemas of requests and links, the check of formats, the history, the cache key, the
// documents, the playground, `tt`, MCP and the Python client take what they know of a field from its row. Spec 10.
import { Type, type Static, type TOptional, type TSchema } from 'typebox';
import { camelCase } from '#api/camel-case.ts';
import type { Access, PageChanges, PdfOutput, PictureOutput, View, Waits } from '#browser/job.ts';

export const pictures = ['png', 'jpeg', 'webp'] as const;
const extracts = ['html', 'mhtml', 'text', 'markdown', 'metadata', 'accessibility'] as const;
export const formats = [...pictures, 'pdf', ...extracts] as const;
export type Format = (typeof formats)[number];

/** The groups of the playground's form, in its order. */
export const groups = ['Source', 'Output', 'View', 'Page', 'Waiting', 'Access', 'Answer'] as const;
type Group = (typeof groups)[number];

export interface InstallationSettings {
  /** Where the operator's list of hosts is; null if there is none. */
  blockedHostsFile: string | null;
}

/** All settings that an output can have. Its format decides which of them are used. */
export interface AskedOutput
  extends Omit<PictureOutput, 'format' | 'printed'>, Omit<PdfOutput, 'format' | 'omitBackground'> {
  format: Format;
  mainContent: boolean;
  /** The number of the printed page that is a picture. */
  page: number | null;
}

/** Where the fields of a request go. The job of the browser, and with it the cache key, is made of all but `delivery`. */
export interface Parts {
  source: object;
  view: View;
  access: Access;
  changes: PageChanges;
  waits: Waits;
  output: AskedOutput;
  /** What becomes of the result. */
  delivery: { isHosted: boolean; expiresInSeconds: number | undefined; reference: string | null };
}

/** Where a value stands, and what its meaning depends on. */
export interface Place {
  /** The name of the field, for messages: `outputs[0].selector`. */
  field: string;
  /** The address of the page; undefined for a document without one. */
  address: string | undefined;
  settings: InstallationSettings;
}

/** `hidden` from the history and the log; `secret` also from messages, links and the tools of assistants. */
type Privacy = 'shown' | 'hidden' | 'secret';

interface Options<Schema extends TSchema, Part> {
  /** Those that it fits, of a field of an output; all if it is left out. */
  formats?: readonly Format[];
  /** Also fits a picture of a printed page. */
  fitsPrinted?: true;
  /** A link is public and answers with a file. */
  barredFromLinks?: true;
  /** What the value is in its part: itself, under the name in camelCase, if it is left out. */
  lower?(value: Static<Schema>, place: Place): Partial<Part>;
  /** A rule across fields, or what answers the request, reads it instead. */
  isReadElsewhere?: true;
}

export interface Row<Schema extends TSchema = TSchema> extends Options<Schema, object> {
  /** With a sentence for people as its description. */
  schema: Schema;
  part: keyof Parts;
  group: Group;
  privacy: Privacy;
}

export type Rows = Record<string, Row>;

/** Makes the rows of a part. Each says whether the history may show its values: none is shown by omission. */
export const rowsOf = <Name extends keyof Parts>(
  part: Name,
  group: Group,
  common: Pick<Row, 'formats' | 'fitsPrinted'> = {},
) => {
  const rowOf =
    (privacy: Privacy) =>
    <Schema extends TSchema>(schema: Schema, own: Options<Schema, Parts[Name]> = {}): Row<Schema> => ({
      ...common,
      ...own,
      schema,
      part,
      group,
      privacy,
    });
  return { shown: rowOf('shown'), hidden: rowOf('hidden'), secret: rowOf('secret') };
};

/** The fields as properties of a schema; all may be left out. */
export const propertiesOf = <Table extends Rows>(rows: Table) =>
  Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [name, Type.Optional(propertyOf(row))]),
  ) as unknown as { [Name in keyof Table]: TOptional<Table[Name]['schema']> };

/** For people, without the formats that the field fits. */
export const sentenceOf = ({ schema, fitsPrinted }: Row): string =>
  (schema as { description: string }).description + (fitsPrinted ? ' Also for a picture with page.' : '');

function propertyOf(row: Row): TSchema {
  const { schema, privacy, formats: fitting, group } = row;
  const { description: _sentence, ...rest } = schema as TSchema & { description: string };
  return {
    ...rest,
    ...(privacy === 'secret' && { writeOnly: true }),
    description: sentenceOf(row) + (fitting ? ` Only ${fitting.join(', ')}.` : ''),
    ...(fitting && { 'x-formats': fitting }),
    'x-group': group,
  };
}

/** What the history and the log may show of a request. */
export const shownOf = (rows: Rows, given: object): object =>
  Object.fromEntries(Object.entries(given).filter(([name]) => rows[name]?.privacy === 'shown'));

/** The fields that a link may have. */
export const linkedOf = (rows: Rows): Rows =>
  Object.fromEntries(
    Object.entries(rows).filter(([, row]) => row.privacy !== 'secret' && row.barredFromLinks !== true),
  );

/** Writes what was given into the parts, in the order of the rows. */
export function lowerInto(
  parts: Partial<Parts>,
  rows: Rows,
  given: object,
  place: Omit<Place, 'field'> & { path?: string },
): void {
  const { path = '', ...rest } = place;
  for (const [name, { part, lower, isReadElsewhere }] of Object.entries(rows)) {
    const into = parts[part];
    if (!into || isReadElsewhere || !Object.hasOwn(given, name)) continue;
    const value: unknown = given[name as never];
    Object.assign(into, lower?.(value, { ...rest, field: path + name }) ?? { [camelCase(name)]: value });
  }
}

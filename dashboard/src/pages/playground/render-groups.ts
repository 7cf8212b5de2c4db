// The form of version 2: its fields in groups, and where the page comes from.
import {
  bodyOf,
  fitting,
  formFields,
  withScheme,
  type Field,
  type Values,
} from '#app/pages/playground/fields.ts';
import { omit } from '#shared/fields.ts';
import { fieldGroups, RenderRequest } from '#shared/requests.ts';

const sources = ['url', 'html', 'markdown'] as const;
type SourceKind = (typeof sources)[number];

/** Each kind keeps its text while another is chosen. */
export interface Source extends Record<SourceKind, string> {
  kind: SourceKind;
}

// Several outputs and cookies are objects in a list, which a form shows badly.
export const fields = formFields(omit(RenderRequest, 'html', 'markdown', 'outputs', 'cookies'));

/** They stand above the groups. */
export const sourceFields = fields.filter(({ group }) => group === 'Source');
export const formatFields = fields.filter(({ path }) => path === 'format');
export const groups: { title: string; fields: Field[] }[] = fieldGroups
  .map((title) => ({
    title,
    fields: fields.filter(({ group, path }) => group === title && path !== 'format'),
  }))
  .filter(({ title }) => title !== 'Source');

export function sourceOf(body: Record<string, unknown>): Source {
  const text = (name: SourceKind, fallback: string): string =>
    typeof body[name] === 'string' ? body[name] : fallback;
  return {
    kind: sources.find((name) => name in body) ?? 'url',
    url: text('url', 'https://example.com'),
    html: text('html', '<h1>Hello</h1>'),
    markdown: text('markdown', '# Hello'),
  };
}

/** With the fields that fit the format, and a base URL only for a document. */
export const requestOf = (source: Source, values: Values): Record<string, unknown> =>
  bodyOf(
    source.kind === 'url' ? { url: withScheme(source.url.trim()) } : { [source.kind]: source[source.kind] },
    fitting(fields, values).filter((field) => source.kind !== 'url' || !sourceFields.includes(field)),
    values,
  );

/** A reload sends the address of the page to the service, which refuses long ones. */
const maxAddressCharacters = 6_000;
const documents = [
  ...sources.filter((name) => name !== 'url'),
  ...fields.filter(({ kind }) => kind === 'long').map(({ path }) => path),
];

/** What the address of the page keeps of a request: no secrets, and no document that is too long for it. */
export function keptOf(body: Record<string, unknown>): string {
  const without = (names: string[]): string =>
    JSON.stringify(Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name))));
  const secrets = fields.filter(({ isSecret }) => isSecret).map(({ path }) => path.split('.', 1)[0] ?? '');
  const all = without(secrets);
  return encodeURIComponent(all).length <= maxAddressCharacters ? all : without([...secrets, ...documents]);
}

// tt edit and tt show: one upload's or several uploads' fields.
import { toSnake } from '../../library/src/letter-case.ts';
import type { ObjectSchema } from '../../shared/src/fields.ts';
import { UploadChanges, UploadFromUrl } from '../../shared/src/requests.ts';
import { openService } from '../../shared/src/service.ts';
import { print, UsageError } from '../../shared/src/terminal.ts';
import { texts, type Command, type Values } from './command.ts';
import { forEachId, idsOf } from './each-id.ts';
import { helpTable, type HelpRow } from './field-flags.ts';
import { linkFieldFlags } from './upload-flags.ts';

const flags = linkFieldFlags(UploadFromUrl, 'url', 'strip_metadata');

/** The fields that null takes away, by their flags. */
export function clearing(changes: ObjectSchema) {
  const names = Object.entries(changes.properties).flatMap(([name, { anyOf }]) =>
    anyOf?.some(({ type }) => type === 'null') ? [name.replaceAll('_', '-')] : [],
  );
  const row: HelpRow = ['--clear FIELD', `Take away ${names.join(', ')}; may be given several times`];
  return {
    row,
    options: { clear: { type: 'string', multiple: true } } as const,
    read(values: Values): Record<string, null> {
      const given = texts(values, 'clear');
      const unknown = given.find((name) => !names.includes(name));
      if (unknown !== undefined)
        throw new UsageError(`--clear must be ${names.join(', ')}, not "${unknown}"`);
      const camel = (name: string) => name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
      return Object.fromEntries(given.map((name) => [camel(name), null]));
    },
  };
}

const clear = clearing(UploadChanges);

export const edit: Command = {
  summary: 'Change the title, tags, album, … of uploads',
  help: `Usage: tt edit [options] ID…

Changes what is given and leaves the rest as it is; - reads ids from stdin, one
a line. Prints the link of each.

Options:
${helpTable([...flags.rows, clear.row, ['--json', 'Print each upload as one JSON object']])}

Examples:
  tt edit 2kGfYq0c9XwJ1b7uN3tA --title Harbour --tag sea --tag boats
  tt edit 2kGfYq0c9XwJ1b7uN3tA --clear password --clear expires-in`,
  options: { ...flags.options, ...clear.options, json: { type: 'boolean' } },

  async run({ values, positionals, signal }) {
    const changes = { ...flags.read(values), ...clear.read(values) };
    if (Object.keys(changes).length === 0) throw new UsageError('nothing to change');
    const ids = await idsOf(positionals, 'ids');
    const { client } = await openService();
    return forEachId(ids, async (id) => {
      const { meta: _meta, ...upload } = await client.uploads.edit(id, changes, { signal });
      await print(`${values['json'] ? JSON.stringify(toSnake(upload)) : upload.url}\n`);
    });
  },
};

export const show: Command = {
  summary: 'Show uploads as JSON',
  help: `Usage: tt show ID…

Prints one JSON object for each upload, as the API gives it.

Examples:
  tt show 2kGfYq0c9XwJ1b7uN3tA | jq .tags`,
  options: {},

  async run({ positionals, signal }) {
    const ids = await idsOf(positionals, 'ids');
    const { client } = await openService();
    return forEachId(ids, async (id) => {
      const { meta: _meta, ...upload } = await client.uploads.get(id, { signal });
      await print(`${JSON.stringify(toSnake(upload))}\n`);
    });
  },
};

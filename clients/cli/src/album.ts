// tt album and tt upload-link: one link for many uploads; an address through which others upload.
import type { CallOptions } from '../../library/src/call-options.ts';
import { toSnake } from '../../library/src/letter-case.ts';
import type { Tintype } from '../../library/src/tintype.ts';
import { AlbumChanges, NewAlbum, NewUploadLink } from '../../shared/src/requests.ts';
import { openService } from '../../shared/src/service.ts';
import { print, UsageError } from '../../shared/src/terminal.ts';
import { type Command, type Values } from './command.ts';
import { clearing } from './edit.ts';
import { forEachId, idsOf } from './each-id.ts';
import { helpTable } from './field-flags.ts';
import { linkFieldFlags } from './upload-flags.ts';

type Made = { id: string; url: string | null; meta: unknown };

/** What can be done with one kind of thing; `edit` only where it can be changed. */
interface Kind {
  create(client: Tintype, fields: object, call: CallOptions): Promise<Made>;
  edit?(client: Tintype, id: string, changes: object, call: CallOptions): Promise<Made>;
  get(client: Tintype, id: string, call: CallOptions): Promise<Made>;
  delete(client: Tintype, id: string, call: CallOptions): Promise<void>;
}

const albumFlags = linkFieldFlags(NewAlbum);
const clear = clearing(AlbumChanges);

export const album: Command = {
  summary: 'Make, change or delete albums',
  help: `Usage: tt album create [options]
       tt album edit [options] ID…
       tt album show | delete ID…

An album is one link for many uploads: "tt upload --album ID" puts them in, and
they stay when it is deleted. Prints the link, or the id that is deleted.
"tt list albums" lists them.

Options:
${helpTable([...albumFlags.rows, clear.row, ['--json', 'Print the album as one JSON object']])}

Examples:
  id=$(tt album create --title Harbour --json | jq -r .id)
  tt upload --album "$id" harbour/`,
  options: { ...albumFlags.options, ...clear.options, json: { type: 'boolean' } },
  choices: { '': ['create', 'edit', 'show', 'delete'] },
  run: ({ values, positionals, signal }) =>
    run(
      {
        create: (client, fields, call) => client.albums.create(fields, call),
        edit: (client, id, changes, call) => client.albums.edit(id, changes, call),
        get: (client, id, call) => client.albums.get(id, call),
        delete: (client, id, call) => client.albums.delete(id, call),
      },
      positionals,
      { ...albumFlags.read(values), ...clear.read(values) },
      values,
      signal,
    ),
};

const linkFlags = linkFieldFlags(NewUploadLink);

export const uploadLink: Command = {
  summary: 'Make or end links through which others upload',
  help: `Usage: tt upload-link create [options]
       tt upload-link show | delete ID…

Prints an address with a page to drop files on, for people without an account.
Your quota pays. The address is shown once. "tt list upload-links" lists them.

Options:
${helpTable([...linkFlags.rows, ['--json', 'Print the link as one JSON object']])}

Examples:
  tt upload-link create --max-files 20 --expires-in 7d --title 'Your photos'`,
  options: { ...linkFlags.options, json: { type: 'boolean' } },
  choices: { '': ['create', 'show', 'delete'] },
  run: ({ values, positionals, signal }) =>
    run(
      {
        create: (client, fields, call) => client.uploadLinks.create(fields, call),
        get: (client, id, call) => client.uploadLinks.get(id, call),
        delete: (client, id, call) => client.uploadLinks.delete(id, call),
      },
      positionals,
      linkFlags.read(values),
      values,
      signal,
    ),
};

async function run(
  kind: Kind,
  [action, ...rest]: string[],
  fields: object,
  values: Values,
  signal: AbortSignal,
): Promise<number> {
  const actions = ['create', ...(kind.edit ? ['edit'] : []), 'show', 'delete'];
  if (action === undefined || !actions.includes(action))
    throw new UsageError(`say what to do: ${actions.join(', ')}`);
  const isChange = action === 'create' || action === 'edit';
  if (!isChange && Object.keys(fields).length > 0) throw new UsageError(`${action} takes no fields`);
  if (action === 'create' && rest.length > 0) throw new UsageError('create takes no id');
  const ids = action === 'create' ? [] : await idsOf(rest, 'ids');
  if (action === 'edit' && Object.keys(fields).length === 0) throw new UsageError('nothing to change');
  const { client } = await openService();
  const told = async ({ meta: _meta, ...made }: Made, isJson: boolean): Promise<void> =>
    print(`${isJson ? JSON.stringify(toSnake(made)) : made.url}\n`);
  const isJson = values['json'] === true;
  if (action === 'create') {
    await told(await kind.create(client, fields, { signal }), isJson);
    return 0;
  }
  return forEachId(ids, async (id) => {
    if (action === 'show') return told(await kind.get(client, id, { signal }), true);
    if (action === 'edit' && kind.edit) return told(await kind.edit(client, id, fields, { signal }), isJson);
    await kind.delete(client, id, { signal });
    await print(`${id}\n`);
  });
}

// tt import: the images of a folder, an archive or a Zipline export, through the ordinary upload. A killed import goes on.
import { stat } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { uploadLimits } from '../../library/src/contract.ts';
import type { TintypeError } from '../../library/src/errors.ts';
import type { FileSource } from '../../library/src/files.ts';
import type { UploadFields } from '../../library/src/hosting.ts';
import { toSnake } from '../../library/src/letter-case.ts';
import { endOfRun } from '../../library/src/run-all.ts';
import type { Tintype } from '../../library/src/tintype.ts';
import { UploadFromUrl } from '../../shared/src/requests.ts';
import { openService } from '../../shared/src/service.ts';
import { print, remark, say, UsageError } from '../../shared/src/terminal.ts';
import { text, type Command } from './command.ts';
import { exitCodeOfAll } from './exit-codes.ts';
import { helpTable } from './field-flags.ts';
import { findFiles, imageName } from './find-files.ts';
import { openState, type ImportState } from './import-state.ts';
import { createCountBar } from './progress-bar.ts';
import { linkFieldFlags } from './upload-flags.ts';
import { openZip } from './zip-file.ts';
import { readZipline, type KnownFile, type Zipline } from './zipline.ts';

const flags = linkFieldFlags(UploadFromUrl, 'url', 'filename', 'title');

export const importFiles: Command = {
  summary: 'Import a folder, an archive or a Zipline export',
  help: `Usage: tt import [options] FOLDER | ARCHIVE.zip

Uploads the images in a folder or a ZIP archive that are not imported yet, and
prints the link and the name of each. Stopped or killed, the same command goes
on where it was, and nothing is uploaded twice.

The export of a Zipline user is an archive, and that of a Zipline server a JSON
file without pictures. With both, names, tags, folders (as albums), expiry and
views are kept. Zipline's passwords cannot be read: a file that has one is left
out, unless --password gives it a new one.

Options:
${helpTable([
  ['--zipline FILE', 'The JSON file that a Zipline 4 server exports'],
  ['--user NAME', 'With --zipline: only the files of this user'],
  ['--state FILE', 'What is done so far (beside the source: NAME.import.jsonl)'],
  ...flags.rows,
  ['--json', 'Print one JSON object per file, as the API gives it'],
])}

Examples:
  tt import ~/Pictures/Screenshots --tag old
  tt import zexport_clx1_1763400000000_812.zip --zipline zipline4_export.json`,
  options: {
    zipline: { type: 'string' },
    user: { type: 'string' },
    state: { type: 'string' },
    ...flags.options,
    json: { type: 'boolean' },
  },

  async run({ values, positionals, signal }) {
    const [source, ...others] = positionals;
    if (source === undefined || others.length > 0) throw new UsageError('name one folder or archive');
    const asked: UploadFields = flags.read(values);
    const [exported, user] = [text(values, 'zipline'), text(values, 'user')];
    if (user !== undefined && exported === undefined) throw new UsageError('--user is for --zipline');
    const { files, close } = await openSource(source);
    try {
      const { client, settings, note } = await openService();
      const state = await openState(text(values, 'state') ?? `${resolve(source)}.import.jsonl`, settings.url);
      const zipline =
        exported === undefined
          ? undefined
          : await readZipline(
              exported,
              files.map(({ name }) => name),
              { user, now: state.startedAt },
            );
      const { chosen, leftOut } = choose(files, zipline, asked);
      const missing = chosen.filter(({ mark }) => !state.isDone(mark));
      const bar = createCountBar(missing.length);
      const failures: TintypeError['code'][] = [];
      let imported = 0;
      try {
        await makeAlbums(client, state, missing, signal);
        const sources = new Map(missing.map((file) => [sourceOf(file, state), file]));
        for await (const outcome of client.uploads.createAll(sources.keys(), { signal, onWait: bar.wait })) {
          const { name, mark } = sources.get(outcome.source) as Chosen;
          bar.clear();
          if (outcome.ok) {
            const { meta, ...upload } = outcome.result;
            await state.addDone(mark, upload);
            imported += 1;
            note('uploads', meta);
            const line = values['json']
              ? JSON.stringify({ source: name, ...(toSnake(upload) as object) })
              : `${upload.url}  ${name}`;
            await print(`${line}\n`);
          } else {
            const { code, message } = outcome.error;
            failures.push(code);
            if (!endOfRun.includes(code)) say(`${name}: ${message} (${code})`);
          }
          bar.show(imported + failures.length);
        }
      } finally {
        bar.clear();
        for (const [reason, names] of leftOut)
          remark(`left out, ${reason}: ${names.length} (${shown(names)})`);
        remark(
          `${imported} imported, ${chosen.length - missing.length} were there, ${failures.length} failed, ${missing.length - imported - failures.length} to do`,
        );
      }
      return exitCodeOfAll(failures, missing.length);
    } finally {
      await close();
    }
  },
};

interface SourceFile {
  name: string;
  size: number;
  /** When it changes, it is another file. */
  mark: string;
  data: FileSource;
}

interface Chosen extends SourceFile {
  filename: string;
  fields: UploadFields;
  folder: KnownFile['folder'];
}

async function openSource(source: string): Promise<{ files: SourceFile[]; close(): Promise<void> }> {
  const entry = await stat(source).catch((error: Error) => {
    throw new UsageError(`cannot read ${source}: ${error.message}`);
  });
  if (entry.isDirectory()) return { files: await filesIn(source), close: async () => {} };
  const zip = await openZip(source).catch((error: Error) => {
    throw new UsageError(`cannot read ${source}: ${error.message}`);
  });
  const files = zip.entries.map(({ name, size, crc, read }) => ({
    name,
    size,
    mark: `${name} ${size} ${crc}`,
    // Read again if it is sent again.
    data: {
      async *[Symbol.asyncIterator]() {
        yield await read();
      },
    },
  }));
  return { files, close: zip.close };
}

async function filesIn(folder: string): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  for (const path of await findFiles(folder)) {
    const entry = await stat(path).catch(() => undefined);
    const name = relative(folder, path);
    const size = entry?.size ?? 0;
    files.push({ name, size, mark: `${name} ${size} ${entry?.mtimeMs ?? 0}`, data: path });
  }
  return files;
}

/** Which files are sent, with which fields; and which are not, by reason. */
function choose(files: SourceFile[], zipline: Zipline | undefined, asked: UploadFields) {
  const chosen: Chosen[] = [];
  const leftOut = new Map<string, string[]>();
  for (const file of files) {
    const known = zipline?.find(file.name);
    const reason = reasonAgainst(file, known, zipline !== undefined, asked);
    if (reason === undefined) {
      const tags = [...(known?.fields.tags ?? []), ...(asked.tags ?? [])];
      chosen.push({
        ...file,
        filename: known?.filename ?? (file.name.split(/[/\\]/).at(-1) as string),
        fields: { ...asked, ...known?.fields, ...(tags.length > 0 && { tags: [...new Set(tags)] }) },
        folder: asked.album === undefined ? known?.folder : undefined,
      });
    } else {
      leftOut.set(reason, [...(leftOut.get(reason) ?? []), file.name]);
    }
  }
  return { chosen, leftOut };
}

function reasonAgainst(
  { name, size }: SourceFile,
  known: KnownFile | undefined,
  isZipline: boolean,
  asked: UploadFields,
): string | undefined {
  if (!imageName.test(name) || /(^|\/)(\.|__MACOSX\/)/.test(name)) return 'no image';
  if (size > uploadLimits.fileBytes) return `larger than ${uploadLimits.fileBytes / 1024 ** 2} MB`;
  if (isZipline && !known) return 'not in the export';
  if (known?.isOver) return 'expired or seen as often as allowed';
  if (known?.hasPassword && asked.password === undefined) return 'has a password; --password gives it one';
  return undefined;
}

const shown = (names: string[]): string =>
  names.length > 3 ? `${names.slice(0, 3).join(', ')}, …` : names.join(', ');

async function makeAlbums(
  client: Tintype,
  state: ImportState,
  files: Chosen[],
  signal: AbortSignal,
): Promise<void> {
  for (const { folder } of files) {
    if (!folder || state.albumOf(folder.id) !== undefined) continue;
    const title = folder.name.slice(0, 200);
    const call = { idempotencyKey: state.keyOf('album', folder.id, title), signal };
    const { id } = await client.albums.create(title === '' ? {} : { title }, call);
    await state.addAlbum(folder.id, id);
  }
}

function sourceOf({ data, filename, mark, fields, folder }: Chosen, state: ImportState) {
  const album = folder && state.albumOf(folder.id);
  const all = { ...fields, ...(album !== undefined && { album }) };
  return {
    file: { data, filename },
    ...all,
    idempotencyKey: state.keyOf(mark, filename, JSON.stringify(all)),
  };
}

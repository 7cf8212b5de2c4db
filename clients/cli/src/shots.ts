// tt shots and tt pdfs: render a list of pages into a folder. Files that exist are kept, and an interrupted run continues.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { realClock } from '../../library/src/clock.ts';
import type { TintypeError } from '../../library/src/errors.ts';
import { randomHex } from '../../library/src/form.ts';
import type { Meta } from '../../library/src/meta.ts';
import { nameAfter } from '../../shared/src/file-names.ts';
import { openService } from '../../shared/src/service.ts';
import { describe, print, say, UsageError } from '../../shared/src/terminal.ts';
import { number, text, type Call, type Command, type Values } from './command.ts';
import { exitCodeOfAll } from './exit-codes.ts';
import { choicesOf, helpRows, helpTable, parsedFlags } from './field-flags.ts';
import { removeOldParts, writeWhole } from './output-file.ts';
import { createCountBar } from './progress-bar.ts';
import {
  fileEnding,
  optionsOf,
  pdfKind,
  screenshotKind,
  type RenderKind,
  type RenderOptions,
} from './render-kinds.ts';
import { readList, type ListedPage } from './shot-list.ts';

export const shots = commandFor('shots', screenshotKind, 'Capture many web pages into a folder');
export const pdfs = commandFor('pdfs', pdfKind, 'Print many web pages into a folder');

interface Page {
  url: string;
  name: string;
  file: string;
  options: RenderOptions;
}

function commandFor(name: string, kind: RenderKind, summary: string): Command {
  return {
    summary,
    help: `Usage: tt ${name} -f FILE -o DIR [options]

Renders every page of FILE into DIR, as many at once as the account may have.
Prints the name of each ${kind.what} as it is done, and a summary on stderr at the
end. Run it again to go on after a stop, or to try again what failed: what is
there is not rendered again.

FILE has one URL a line (blank lines and lines with # are left out; - is stdin).
A line may be a JSON object with url, name and options of its own:
{"url": "example.com", "name": "home", "width": 800}

Options:
${helpTable([
  ['-f, --file FILE', 'The list of pages'],
  ['-o, --output DIR', 'The folder'],
  ...helpRows(kind.flags),
  ['--concurrency N', 'At most N at once (as many as the account may have)'],
  ['--json', 'Print one JSON object per page: url, file, status (captured, present, failed) and error'],
])}

Examples:
  tt ${name} -f urls.txt -o ${name}
  tt ${name} -f pages.jsonl -o ${name} --width 800
  grep -o 'https://[^<]*' sitemap.xml | tt ${name} -f - -o ${name} --json`,
    options: {
      file: { type: 'string', short: 'f' },
      output: { type: 'string', short: 'o' },
      ...parsedFlags(kind.flags),
      concurrency: { type: 'string' },
      json: { type: 'boolean' },
    },
    choices: choicesOf(kind.flags),
    run: (call) => run(kind, call),
  };
}

async function run(kind: RenderKind, { values, positionals, signal }: Call): Promise<number> {
  const [list, folder] = [text(values, 'file'), text(values, 'output')];
  if (list === undefined || folder === undefined || positionals.length > 0)
    throw new UsageError('needs -f FILE and -o DIR');
  const concurrency = number(values, 'concurrency');
  if (concurrency !== undefined && (!Number.isInteger(concurrency) || concurrency < 1))
    throw new UsageError('--concurrency must be 1 or more');
  const wanted = pagesOf(kind, await readList(list, parsedFlags(kind.flags)), folder, values);
  const { client, note } = await openService();

  const mark = await openRun(folder);
  const there = new Set(await readdir(folder));
  await removeOldParts(
    folder,
    wanted.map(({ name }) => name),
    Date.now(),
  );
  const missing = wanted.filter(({ name }) => !there.has(name));
  const failures: TintypeError['code'][] = [];
  let captured = 0;
  let latest: Meta | undefined;
  for (const page of wanted.filter(({ name }) => there.has(name))) await tell(page, 'present');

  const bar = createCountBar(missing.length);
  const startedAt = Date.now();
  try {
    const pageOf = new Map(
      missing.map((page) => [{ url: page.url, ...page.options, idempotencyKey: keyOf(mark, page) }, page]),
    );
    const given = { signal, concurrency, onWait: bar.wait };
    const items =
      kind.name === 'pdf' ? client.pdfAll(pageOf.keys(), given) : client.screenshotAll(pageOf.keys(), given);
    for await (const item of items) {
      bar.clear();
      const page = pageOf.get(item.source) as Page;
      latest = latestOf(latest, item.ok ? item.result.meta : item.error.meta);
      if (item.ok) {
        await writeWhole(page.file, item.result.bytes);
        captured += 1;
        await tell(page, 'captured');
      } else {
        failures.push(item.error.code);
        say(`${page.url}: ${describe(item.error)}`);
        await tell(page, 'failed', item.error);
      }
      bar.show(captured + failures.length);
    }
    await closeRun(folder);
  } finally {
    bar.clear();
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    const left = missing.length - captured - failures.length;
    say(
      `${wanted.length} URLs: ${captured} captured in ${seconds} s, ${wanted.length - missing.length} there before, ` +
        `${failures.length} failed${left > 0 ? `, ${left} left` : ''}`,
    );
    note('renders', latest);
  }
  return exitCodeOfAll(failures, wanted.length);

  async function tell({ url, file }: Page, status: string, error?: TintypeError): Promise<void> {
    const line = {
      url,
      ...(error ? { status, error: { code: error.code, message: error.message } } : { file, status }),
    };
    if (values['json']) await print(`${JSON.stringify(line)}\n`);
    else if (!error) await print(`${file}\n`);
  }
}

/** Responses come in any order, and each unit lowers what remains: the lowest is the latest. */
function latestOf(known: Meta | undefined, told: Meta | undefined): Meta | undefined {
  if (!told?.quota || told.isReplay) return known;
  return known?.quota && known.quota.remaining < told.quota.remaining ? known : told;
}

/** The name contains the page and a hash of the options, so that other options make other files. */
function pagesOf(kind: RenderKind, listed: ListedPage[], folder: string, common: Values): Page[] {
  const names = new Set<string>();
  return listed.map(({ url, name: given, values }): Page => {
    const options = optionsOf(kind, { ...common, ...values }, given);
    const ending = `.${fileEnding(kind, options)}`;
    const mark = createHash('sha256')
      .update(JSON.stringify([url, options]))
      .digest('hex')
      .slice(0, 8);
    const named = given === undefined || /\.(png|jpe?g|webp|pdf)$/i.test(given) ? given : given + ending;
    const name = named ?? `${nameAfter(url)}-${mark}${ending}`;
    if (names.has(name)) throw new UsageError(`two pages would be written to ${name}`);
    names.add(name);
    return { url, name, file: join(folder, name), options };
  });
}

const runFile = (folder: string): string => join(folder, '.tt-run');

/**
 * A mark of this run, which remains if the run is killed: the next run uses the same Idempotency-Keys, so that a picture whose
 * response was lost is sent again and not metered again.
 */
async function openRun(folder: string): Promise<string> {
  const file = runFile(folder);
  const mark = randomHex(16);
  try {
    await mkdir(folder, { recursive: true });
    let earlier = '';
    for (let looks = 0; looks < 20; looks += 1) {
      // Of two runs in one folder, the second takes the mark of the first, so that no page is paid for twice.
      if (await isCreated(file, mark)) return mark;
      earlier = await readFile(file, 'utf8').catch(() => '');
      if (/^[0-9a-f]{32}$/.test(earlier)) return earlier;
      // The other run has created the file and is about to write it.
      await realClock.sleep(50);
    }
    if (earlier !== '') throw new Error(`${file} was not written by tt; move it away`);
    await writeFile(file, mark);
    return mark;
  } catch (error) {
    throw new UsageError(`cannot write to ${folder}: ${(error as Error).message}`);
  }
}

async function isCreated(file: string, content: string): Promise<boolean> {
  try {
    await writeFile(file, content, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

const closeRun = (folder: string): Promise<void> => rm(runFile(folder), { force: true });

const keyOf = (mark: string, { url, name, options }: Page): string =>
  createHash('sha256')
    .update(JSON.stringify([mark, url, name, options]))
    .digest('hex');

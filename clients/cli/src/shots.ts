// tt shots: a list of pages to a folder of pictures. What is there already is done; what was cut short goes on.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { realClock } from '../../library/src/clock.ts';
import type { TintypeError } from '../../library/src/errors.ts';
import { randomHex } from '../../library/src/form.ts';
import type { Meta } from '../../library/src/meta.ts';
import type { RenderBytes, ScreenshotOptions, WithMeta } from '../../library/src/options.ts';
import { runAll, type Outcome } from '../../library/src/run-all.ts';
import { describe, number, print, readStdin, say, text, type Command } from './command.ts';
import { exitCodeOfAll, UsageError } from './exit-codes.ts';
import { nameAfter, writeWhole } from './output-file.ts';
import { extensionOf, screenshotFlags, screenshotFlagsHelp, screenshotOptions, toUrl } from './screenshot.ts';
import { openService } from './service.ts';

interface Shot {
  url: string;
  name: string;
  file: string;
}

/** More than the largest plan has; the account's own cap is found on the way. */
const defaultCeiling = 100;

export const shots: Command = {
  summary: 'Capture many web pages into a folder',
  help: `Usage: tt shots -f FILE -o DIR [options]

Captures every URL of FILE (one per line; blank lines and lines with # are left out; - is stdin) into DIR, as many at once as
the account may have. Prints the name of each picture as it is done, and a summary on stderr at the end.
Run it again to go on after a stop, or to try again what failed: pictures that are there are not captured again.

Options:
  -f, --file FILE    The list of URLs
  -o, --output DIR   The folder of pictures
${screenshotFlagsHelp}
  --concurrency N    At most so many at once (as many as the account may have)
  --json             Print one JSON object per URL: url, file, status (captured, present, failed) and error

Examples:
  tt shots -f urls.txt -o shots
  tt shots -f urls.txt -o shots --full-page --format webp
  grep -o 'https://[^<]*' sitemap.xml | tt shots -f - -o shots --json > shots.jsonl`,
  options: {
    file: { type: 'string', short: 'f' },
    output: { type: 'string', short: 'o' },
    ...screenshotFlags,
    concurrency: { type: 'string' },
    json: { type: 'boolean' },
  },

  async run({ values, positionals, signal }) {
    const [list, folder] = [text(values, 'file'), text(values, 'output')];
    if (list === undefined || folder === undefined || positionals.length > 0) {
      throw new UsageError('needs -f FILE and -o DIR');
    }
    const ceiling = number(values, 'concurrency') ?? defaultCeiling;
    if (!Number.isInteger(ceiling) || ceiling < 1) throw new UsageError('--concurrency must be 1 or more');
    const options = screenshotOptions(values);
    const wanted = shotsOf(await readUrls(list), folder, options);
    // A refusal for want of room is for the whole run to heed, so the library does not wait by itself.
    const { client, note } = await openService({ onRetry: ({ error }) => error.status !== 429 });

    await mkdir(folder, { recursive: true });
    const there = new Set(await readdir(folder));
    const missing = wanted.filter(({ name }) => !there.has(name));
    const failures: TintypeError['code'][] = [];
    let captured = 0;
    let latest: Meta | undefined;
    for (const { url, file } of wanted.filter(({ name }) => there.has(name)))
      await tell(url, file, 'present');

    const run = await openRun(folder);
    const startedAt = Date.now();
    try {
      await runAll<Shot, WithMeta<RenderBytes>>({
        jobs: missing,
        attempt: ({ url, file }) =>
          client.screenshot(url, { ...options, signal, idempotencyKey: keyOf(run, basename(file)) }),
        onOutcome: keep,
        ceiling,
        clock: realClock,
        signal,
      });
      await closeRun(folder);
    } finally {
      const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
      const left = missing.length - captured - failures.length;
      say(
        `${wanted.length} URLs: ${captured} captured in ${seconds} s, ${wanted.length - missing.length} there before, ` +
          `${failures.length} failed${left > 0 ? `, ${left} left` : ''}`,
      );
      await note('renders', latest);
    }
    return exitCodeOfAll(failures, wanted.length);

    async function keep(outcome: Outcome<Shot, WithMeta<RenderBytes>>): Promise<void> {
      const { url, file } = outcome.job;
      if ('error' in outcome) {
        latest = latestOf(latest, outcome.error.meta);
        failures.push(outcome.error.code);
        say(`${url}: ${describe(outcome.error)}`);
        await tell(url, file, 'failed', outcome.error);
        return;
      }
      latest = latestOf(latest, outcome.result.meta);
      await writeWhole(file, outcome.result.bytes);
      captured += 1;
      await tell(url, file, 'captured');
    }

    async function tell(url: string, file: string, status: string, error?: TintypeError): Promise<void> {
      const line = {
        url,
        ...(error ? { status, error: { code: error.code, message: error.message } } : { file, status }),
      };
      if (values['json']) await print(`${JSON.stringify(line)}\n`);
      else if (!error) await print(`${file}\n`);
    }
  },
};

/** Answers come in any order, and each unit lowers what is left: the least is the latest. */
function latestOf(known: Meta | undefined, told: Meta | undefined): Meta | undefined {
  if (!told?.quota || told.isReplay) return known;
  return known?.quota && known.quota.remaining < told.quota.remaining ? known : told;
}

async function readUrls(list: string): Promise<string[]> {
  const content = await (list === '-' ? readStdin() : readFile(list, 'utf8')).catch((error: Error) => {
    throw new UsageError(`cannot read ${list}: ${error.message}`);
  });
  const urls = new Set<string>();
  for (const [index, line] of content.split(/\r?\n/).entries()) {
    const typed = line.trim();
    if (typed === '' || typed.startsWith('#')) continue;
    try {
      urls.add(toUrl(typed));
    } catch (error) {
      throw new UsageError(`line ${index + 1} of ${list}: ${(error as Error).message}`);
    }
  }
  if (urls.size === 0) throw new UsageError(`no URLs in ${list}`);
  return [...urls];
}

/** The name tells the page and how it was captured, so that other options make other files. */
function shotsOf(urls: string[], folder: string, options: ScreenshotOptions): Shot[] {
  return urls.map((url) => {
    const mark = createHash('sha256')
      .update(JSON.stringify([url, options]))
      .digest('hex')
      .slice(0, 8);
    const name = `${nameAfter(url)}-${mark}.${extensionOf(options.format)}`;
    return { url, name, file: join(folder, name) };
  });
}

const runFile = (folder: string): string => join(folder, '.tt-run');

/**
 * A mark of this run, which stays behind when the run is killed: the next one goes on under the same Idempotency-Keys, so
 * that a picture whose answer was lost is sent again and not metered again.
 */
async function openRun(folder: string): Promise<string> {
  const earlier = await readFile(runFile(folder), 'utf8').catch(() => '');
  if (/^[0-9a-f]{32}$/.test(earlier)) return earlier;
  const run = randomHex(16);
  await writeFile(runFile(folder), run);
  return run;
}

const closeRun = (folder: string): Promise<void> => rm(runFile(folder), { force: true });

const keyOf = (run: string, name: string): string =>
  createHash('sha256').update(`${run} ${name}`).digest('hex');

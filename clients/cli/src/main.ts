#!/usr/bin/env node
// tt: the command line.
import { parseArgs } from 'node:util';
import { TintypeError } from '../../library/src/errors.ts';
import { version } from '../../library/src/version.ts';
import { describe, print, say, UsageError } from '../../shared/src/terminal.ts';
import { album, uploadLink } from './album.ts';
import type { Command } from './command.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import { globalOptions, useGlobal } from './global-options.ts';
import { completionFor } from './completion.ts';
import { remove, restore } from './delete.ts';
import { edit, show } from './edit.ts';
import { importFiles } from './import.ts';
import { link } from './link.ts';
import { list } from './list.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { nearName } from './near-name.ts';
import { open } from './open.ts';
import { pdf, screenshot } from './render.ts';
import { renderDocument } from './render-document.ts';
import { pdfs, shots } from './shots.ts';
import { status } from './status.ts';
import { upload } from './upload.ts';
import { watch } from './watch.ts';

const commands: Record<string, Command> = {
  login,
  logout,
  status,
  upload,
  watch,
  list,
  show,
  edit,
  delete: remove,
  restore,
  album,
  'upload-link': uploadLink,
  import: importFiles,
  open,
  screenshot,
  pdf,
  render: renderDocument,
  link,
  shots,
  pdfs,
  completion: completionFor(() => commands),
};

const help = `Usage: tt COMMAND [options]

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(13)}${summary}`)
  .join('\n')}

Run "tt COMMAND --help" for options and examples. Every command accepts:
  --profile NAME     Use another login (or set TINTYPE_PROFILE)
  --timeout SECONDS  The longest that one attempt of a request may take
  --retries N        How often a request is sent again (4)
  --cacert FILE      Trust this authority too, for a service with its own
  --quiet            Say errors only

Data goes to stdout, everything else to stderr. HTTPS_PROXY, HTTP_PROXY and
NO_PROXY apply.

Exit codes:
  0  success                   5  quota used up
  1  unexpected error          6  rate or concurrency limit
  2  wrong call                7  page could not be rendered
  3  no key, or key refused    8  service out of reach
  4  request refused           9  some files or URLs failed
                             130  interrupted

Examples:
  tt login --url https://images.example.com
  tt upload photo.jpg
  tt screenshot example.com -o example.png
  tt shots -f urls.txt -o shots`;

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => stop.abort(new Error('interrupted')));
}
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that has enough, such as head, is no failure.
  if (error.code === 'EPIPE') process.exit(exitCodes.ok);
  say(`cannot write to stdout: ${error.message}`);
  process.exit(exitCodes.unexpected);
});
// Messages that nobody reads do not stop the work.
process.stderr.on('error', () => {});

process.exitCode = await main(process.argv.slice(2));

async function main([name, ...args]: string[]): Promise<number> {
  // "tt help upload" is "tt upload --help".
  if (name === 'help' && args[0] !== undefined) return main([args[0], '--help']);
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    await (name === undefined ? process.stderr.write(`${help}\n`) : print(`${help}\n`));
    return name === undefined ? exitCodes.usage : exitCodes.ok;
  }
  if (name === '--version' || name === '-v' || name === 'version') {
    await print(`${version}\n`);
    return exitCodes.ok;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  try {
    if (!command)
      throw new UsageError(
        `unknown command "${name}"; ${meant(name, Object.keys(commands), 'the commands are ')}`,
      );
    const { values, positionals } = parse(command, args);
    if (values['help'] === true) {
      await print(`${command.help}\n`);
      return exitCodes.ok;
    }
    await useGlobal(values);
    return await command.run({ values, positionals, signal: stop.signal });
  } catch (error) {
    if (stop.signal.aborted) return exitCodes.interrupted;
    say(
      error instanceof UsageError && command
        ? `${error.message}; see "tt ${name} --help"`
        : withFlag(describe(error), command),
    );
    if (error instanceof TintypeError && error.reason === 'untrusted_certificate')
      say('or name that file with --cacert');
    if (
      error instanceof TintypeError &&
      error.message.includes('certificate or encryption') &&
      !args.some((arg) => /^https:/i.test(arg))
    )
      say('https:// was added to the address; for a page without encryption, begin it with http://');
    if (error instanceof TintypeError && error.status === 401) say('is the key right? "tt login" sets it');
    return exitCodeOf(error);
  }
}

/** The field that a message begins with, as the flag that sets it. */
function withFlag(message: string, command: Command | undefined): string {
  const [, field = ''] = /^(\w+): /.exec(message) ?? [];
  const flag = field.replaceAll(/_|(?=[A-Z])/g, '-').toLowerCase();
  return Object.hasOwn(command?.options ?? {}, flag) ? `--${flag}${message.slice(field.length)}` : message;
}

function meant(typed: string, names: string[], otherwise: string): string {
  const near = nearName(typed, names);
  return near === undefined ? otherwise + names.join(', ') : `did you mean ${near}?`;
}

function parse({ options }: Command, args: string[]) {
  try {
    return parseArgs({
      args,
      options: { ...options, ...globalOptions },
      allowPositionals: true,
    });
  } catch (error) {
    const [complaint = '', hint] = (error as Error).message.split('. ');
    const unknown = /^Unknown option '--([^']+)'/.exec(complaint)?.[1];
    const names = Object.keys({ ...options, ...globalOptions });
    const near = unknown === undefined ? undefined : nearName(unknown, names);
    if (near !== undefined) throw new UsageError(`unknown option --${unknown}; did you mean --${near}?`);
    // Node's own hint for a positional argument, in fewer words.
    throw new UsageError(
      hint === undefined ? complaint : `${complaint}; a name that begins with - goes after --`,
    );
  }
}

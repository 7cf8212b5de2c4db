// npx tintype: the operator's commands. They work on the same data while the server runs.
// Each loads what it needs: the service takes longer to load than most commands take to run.
import { parseArgs } from 'node:util';
import { newApiKey } from '#core/ids.ts';
import { version } from '#core/programs.ts';
import { UsageError } from '#roof/usage-error.ts';

async function usage(): Promise<string> {
  const [{ accountUsage }, { browserUsage }, { dataUsage }] = await Promise.all([
    import('#roof/account-commands.ts'),
    import('#roof/browser-command.ts'),
    import('#roof/data-commands.ts'),
  ]);
  return `Usage: npx tintype <command> [--json]

  serve                                             run the service
  version
  doctor                                            check what the service depends on, with advice for each failure
${accountUsage}${browserUsage}${dataUsage}`;
}

export async function runCli(args: string[]): Promise<number> {
  const [first = ''] = args;
  if (first === 'serve' && args.length === 1) {
    await (await import('#roof/main.ts')).serve();
    return 0;
  }
  if (first === 'help' || args.includes('--help') || args.includes('-h')) {
    process.stdout.write(await usage());
    return 0;
  }
  if (args.length === 1 && ['version', '--version', '-v'].includes(first)) {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  try {
    if (first === 'doctor') return await (await import('#roof/doctor.ts')).runDoctor(args.slice(1));
    if (first === 'browser')
      return await (await import('#roof/browser-command.ts')).runBrowserCommand(args.slice(1));
    process.stdout.write(`${await runOperatorCommand(args)}\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`tintype: ${explain(error as Error)}\n`);
    return isMisuse(error) ? 2 : 1;
  }
}

async function runOperatorCommand([first = '', second = '', ...rest]: string[]): Promise<string> {
  const operands = [second, ...rest].filter(Boolean);
  if (operands.length === 1 && `${first} ${second}` === 'key generate') return newApiKey();
  const { runDataCommand } = await import('#roof/data-commands.ts');
  return (await runDataCommand(first, operands)) ?? runCommand(`${first} ${second}`, rest);
}

async function runCommand(name: string, args: string[]): Promise<string> {
  const { accountCommands } = await import('#roof/account-commands.ts');
  const command = accountCommands[name];
  if (!command) {
    const problem = name.trim() === '' ? 'no command given' : `unknown command "${name.trim()}"`;
    throw new UsageError(`${problem} (see npx tintype help)`);
  }
  const { values, positionals } = parseArgs({
    args,
    options: { ...command.options, json: { type: 'boolean' } },
    allowPositionals: true,
    strict: true,
  });
  if (positionals.length !== command.operands) {
    throw new UsageError(`"${name}" takes ${command.operands} operand(s), not ${positionals.length}`);
  }
  const [{ readConfig }, { hasDatabase }, { openAccounts }] = await Promise.all([
    import('#roof/config.ts'),
    import('#roof/engines.ts'),
    import('#roof/service.ts'),
  ]);
  const config = readConfig();
  // Only the first account may make a database: any other command was given the wrong folder, or came too early.
  if (!hasDatabase(config) && name !== 'account create') {
    const hint = `there is no database in ${config.dataDir}; set DATA_DIR to the folder of the service, or start the service once`;
    if (name !== 'account list') throw new Error(hint);
    return values['json'] === true ? '[]' : `(${hint})`;
  }
  const { accounts, close, ...more } = await openAccounts(config);
  try {
    const result = await command.run(accounts, values, positionals[0] ?? '', more);
    if (values['json'] === true) return JSON.stringify(result.data);
    return result.rows && process.stdout.isTTY ? table(result.rows) : result.text;
  } finally {
    await close();
  }
}

/** Headings, then a line for each row. Empty if there is none. */
function table(rows: Record<string, string | null>[]): string {
  const headings = Object.keys(rows[0] ?? {});
  const lines = [
    headings.map((heading) => heading.replaceAll('_', ' ').toUpperCase()),
    ...rows.map((row) => Object.values(row).map((value) => value ?? '-')),
  ];
  const widths = headings.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const isMisuse = (error: unknown): boolean =>
  error instanceof UsageError || String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS');

/** Joins the lines of a message into one. */
function explain({ message }: Error): string {
  const lines = message.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').join('; ');
}

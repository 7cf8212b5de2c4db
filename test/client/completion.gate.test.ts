// `tt completion` in the real shells: what they make of a line that is not finished.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { lacks } from './support.ts';
import { createCommandLine, type CommandLine } from './tt.ts';

const run = promisify(execFile);
let line: CommandLine;

before(async () => {
  line = await createCommandLine(undefined);
  await writeFile(join(line.folder, 'photo one.png'), '');
});
after(() => line.remove());

/** Each gives the line with its last word completed, as far as there is one way to do it. */
const shells: Record<string, (script: string, words: string) => Promise<string>> = {
  async bash(script, words) {
    // Files are left to bash itself, which has no way to ask for them without a terminal.
    const list = words.split(' ');
    const asked = `${script}
COMP_WORDS=(tt ${list.join(' ')}); COMP_CWORD=${list.length}; _tt
[ "\${#COMPREPLY[@]}" -eq 1 ] && printf %s "\${COMPREPLY[0]}"`;
    const { stdout } = await run('bash', ['-c', asked]);
    return [...list.slice(0, -1), stdout].join(' ');
  },

  /** In a terminal of its own, where the tab key completes and `tt` prints what it was called with. */
  async zsh(script, words) {
    await writeFile(join(line.folder, 'completion.zsh'), script);
    await writeFile(
      join(line.folder, 'inner.zsh'),
      `PROMPT=; autoload -Uz compinit; compinit -u -D; source ./completion.zsh
tt() { print -rn -- "called=\${(j:|:)@}=end" }; print -rn -- "rea""dy"`,
    );
    const outer = `zmodload zsh/zpty; zpty inner zsh -f
zpty -w inner 'source ./inner.zsh'; zpty -r inner seen '*ready*'
zpty -w inner $'tt ${words}\\t'; zpty -r inner seen '*called=*=end*'
print -r -- "$seen"; zpty -d inner`;
    const { stdout } = await run('zsh', ['-fc', outer], { cwd: line.folder, timeout: 60_000 });
    return (/called=(.*)=end/.exec(stdout)?.[1] ?? stdout).replaceAll('|', ' ').trim();
  },

  async fish(script, words) {
    await writeFile(join(line.folder, 'completion.fish'), script);
    const asked = `source completion.fish; complete -C 'tt ${words}'`;
    const { stdout } = await run('fish', ['--no-config', '-c', asked], { cwd: line.folder });
    const found = stdout.trim().split('\n');
    const last = found.length === 1 ? (found[0]?.split('\t')[0] ?? '') : '';
    return [...words.split(' ').slice(0, -1), last].join(' ');
  },
};

for (const [shell, complete] of Object.entries(shells)) {
  test(`${shell} completes commands and options`, async (context) => {
    if (lacks(shell, context)) return;
    const script = (await line.tt(['completion', shell])).stdout.toString();
    assert.equal(await complete(script, 'screens'), 'screenshot');
    assert.equal(await complete(script, 'screenshot --format w'), 'screenshot --format webp');
    assert.equal(await complete(script, 'list re'), 'list renders');
    assert.equal(await complete(script, 'upload --exp'), 'upload --expires-in');
    assert.equal(await complete(script, 'shots --conc'), 'shots --concurrency');
    assert.equal(await complete(script, 'list --prof'), 'list --profile');
    if (shell !== 'bash') assert.equal(await complete(script, 'upload phot'), 'upload photo one.png');
  });
}

test('every command and option is in each script', async () => {
  const { stdout: help } = await line.tt(['--help']);
  const commands = [...help.toString().matchAll(/^ {2}([a-z][a-z-]+) {2,}[A-Z]/gm)].map(
    (match) => match[1] ?? '',
  );
  assert.ok(commands.length > 10);
  for (const shell of Object.keys(shells)) {
    const script = (await line.tt(['completion', shell])).stdout.toString();
    for (const command of commands) assert.ok(script.includes(command), `${command} in ${shell}`);
  }
});

test('a shell that it does not know is a wrong call', async () => {
  assert.equal((await line.tt(['completion', 'tcsh'])).code, 2);
});

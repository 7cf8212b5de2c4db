// tt login: stores the address and the key after the service has accepted them.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { withoutTail } from '../../library/src/without-tail.ts';
import { clientFor } from '../../shared/src/service.ts';
import { profileName, storeSettings } from '../../shared/src/settings.ts';
import { print, remark, say, UsageError } from '../../shared/src/terminal.ts';
import { readStdin, text, type Command } from './command.ts';

export const login: Command = {
  summary: 'Store the address of a service and an API key',
  help: `Usage: tt login [--url ADDRESS] [--profile NAME]

Asks for the API key without showing it, or reads it from stdin, tries it, and
stores it in a file that only you can read. TINTYPE_URL and TINTYPE_API_KEY in
the environment take precedence over that file. Each profile has its own login.

Options:
  --url ADDRESS      The service (http://localhost:3000)
  --profile NAME     Store it under this name, for --profile of other commands

Examples:
  tt login --url https://images.example.com
  printf %s "$KEY" | tt login --url https://images.example.com`,
  options: { url: { type: 'string' } },

  async run({ values, positionals, signal }) {
    if (positionals.length > 0)
      throw new UsageError('the key is read from stdin, so that no other process sees it');
    const address = text(values, 'url') ?? 'http://localhost:3000';
    if (!/^https?:\/\//.test(address) || !URL.canParse(address))
      throw new UsageError(`not an address: ${address}`);
    const key = (process.stdin.isTTY ? await askSecretly('API key: ', signal) : await readStdin()).trim();
    if (key === '') throw new UsageError('no key given');
    if (/[^\x21-\x7e]/.test(key)) throw new UsageError('a key has only printable characters and no spaces');
    if (isExposed(address)) say('this address is not https: others on the network can read the key');
    const settings = { url: withoutTail(address, '/'), key };
    const { plan } = await clientFor(settings, { maxRetries: 0 }).usage({ signal });
    const file = await storeSettings(settings);
    remark(`logged in to ${settings.url}, plan ${plan.name}, profile ${profileName()}`);
    await print(`${file}\n`);
    return 0;
  },
};

/** Plain HTTP beyond this machine. */
function isExposed(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}

async function askSecretly(question: string, signal: AbortSignal): Promise<string> {
  // readline turns the terminal's echo off and writes its own echo to this stream, which discards it.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  process.stderr.write(question);
  try {
    return await terminal.question('', { signal });
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}

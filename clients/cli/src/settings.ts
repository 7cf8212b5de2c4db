// Which service, and with which key: from the environment, or from the file that `tt login` writes for its owner alone.
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { checkBaseUrl } from '../../library/src/call-options.ts';
import { TintypeError } from '../../library/src/errors.ts';
import { UsageError } from './exit-codes.ts';

export interface Settings {
  url: string;
  key: string;
}

export function settingsFolder(): string {
  const { XDG_CONFIG_HOME, APPDATA } = process.env;
  const base = XDG_CONFIG_HOME ?? (process.platform === 'win32' ? APPDATA : undefined);
  return join(base ?? join(homedir(), '.config'), 'tintype');
}

const settingsFile = (): string => join(settingsFolder(), 'login.json');

export async function readSettings(): Promise<Settings> {
  const { TINTYPE_URL, TINTYPE_API_KEY } = process.env;
  const stored = (await readJson(settingsFile())) as Partial<Settings> | undefined;
  // Empty counts as not set, as CI gives it for a secret that is missing.
  const url = TINTYPE_URL ? addressOf(TINTYPE_URL) : stored?.url;
  // The stored key belongs to the stored address: an address from the environment never gets it.
  const key = TINTYPE_API_KEY || (url === stored?.url ? stored?.key : undefined);
  if (key && !/^[\x21-\x7e]+$/.test(key)) {
    throw new UsageError('TINTYPE_API_KEY must be a text of printable characters without spaces');
  }
  if (url && key) return { url, key };
  throw new TintypeError(
    'unauthorized',
    key
      ? 'no address of a service; run "tt login" or set TINTYPE_URL'
      : 'not logged in; run "tt login", or set TINTYPE_URL and TINTYPE_API_KEY',
  );
}

function addressOf(variable: string): string {
  try {
    return checkBaseUrl(variable);
  } catch (error) {
    throw new UsageError((error as Error).message.replace('baseUrl', 'TINTYPE_URL'));
  }
}

export async function storeSettings(settings: Settings): Promise<string> {
  await writePrivately(settingsFile(), settings);
  return settingsFile();
}

export async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as unknown;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Readable by its owner from the first byte on, and never half written. */
export async function writePrivately(file: string, data: unknown): Promise<void> {
  const folder = settingsFolder();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify(data, null, 2)}\n`, { mode: 0o600 });
  await chmod(temporary, 0o600);
  await rename(temporary, file);
}

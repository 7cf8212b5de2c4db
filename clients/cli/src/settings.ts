// Which service, and with which key: from the environment, or from the file that `tt login` writes for its owner alone. Each profile
// has a file of its own.
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { checkBaseUrl } from '../../library/src/call-options.ts';
import { TintypeError } from '../../library/src/errors.ts';
import { UsageError } from './exit-codes.ts';

export interface Settings {
  url: string;
  key: string;
}

let profile = '';

/** Of --profile, which goes before TINTYPE_PROFILE. */
export function useProfile(given: string | undefined): void {
  profile = given ?? process.env['TINTYPE_PROFILE'] ?? '';
  if (!/^[\w.-]{0,40}$/.test(profile))
    throw new UsageError('--profile must have at most 40 letters, digits, dots, dashes and underscores');
}

export const profileName = (): string => profile || 'default';

function settingsFolder(): string {
  const { XDG_CONFIG_HOME, APPDATA } = process.env;
  const base = XDG_CONFIG_HOME ?? (process.platform === 'win32' ? APPDATA : undefined);
  return join(base ?? join(homedir(), '.config'), 'tintype');
}

const settingsFile = (): string =>
  join(settingsFolder(), profile === '' ? 'login.json' : `login-${profile}.json`);

export async function readSettings(): Promise<Settings> {
  const { TINTYPE_URL, TINTYPE_API_KEY } = process.env;
  const stored = (await readJson(settingsFile())) as Partial<Settings> | undefined;
  // Empty counts as not set, as CI gives it for a secret that is missing. A named profile goes before the environment.
  const isNamed = profile !== '';
  const url = TINTYPE_URL && !isNamed ? addressOf(TINTYPE_URL) : stored?.url;
  // The stored key belongs to the stored address: an address from the environment never gets it.
  const key = (isNamed ? undefined : TINTYPE_API_KEY) || (url === stored?.url ? stored?.key : undefined);
  if (key && !/^[\x21-\x7e]+$/.test(key)) {
    throw new UsageError('TINTYPE_API_KEY must be a text of printable characters without spaces');
  }
  if (url && key) return { url, key };
  const login = isNamed ? `tt login --profile ${profile}` : 'tt login';
  throw new TintypeError(
    'unauthorized',
    key
      ? `no address of a service; run "${login}" or set TINTYPE_URL`
      : `not logged in; run "${login}"${isNamed ? '' : ', or set TINTYPE_URL and TINTYPE_API_KEY'}`,
  );
}

function addressOf(variable: string): string {
  try {
    return checkBaseUrl(variable);
  } catch (error) {
    throw new UsageError((error as Error).message.replace('baseUrl', 'TINTYPE_URL'));
  }
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as unknown;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Readable by its owner from the first byte on, and never half written. */
export async function storeSettings(settings: Settings): Promise<string> {
  const file = settingsFile();
  await mkdir(settingsFolder(), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
  await chmod(temporary, 0o600);
  await rename(temporary, file);
  return file;
}

/** Whether there was anything to forget. */
export async function forgetSettings(): Promise<boolean> {
  const known = await readJson(settingsFile());
  await rm(settingsFile(), { force: true });
  return known !== undefined;
}

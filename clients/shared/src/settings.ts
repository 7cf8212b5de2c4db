// The address of the service and the key: from the environment, or from the file that `tt login` writes, which only its owner can read.
// Each profile has its own file.
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { checkBaseUrl } from '../../library/src/call-options.ts';
import { TintypeError } from '../../library/src/errors.ts';
import { UsageError } from './terminal.ts';

export interface Settings {
  url: string;
  key: string;
}

let profile = '';

/** --profile takes precedence over TINTYPE_PROFILE. */
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
  // Empty counts as not set: CI sets a missing secret to "". A named profile takes precedence over the environment.
  const isNamed = profile !== '';
  // A file that is not needed is not read: it may be another user's.
  const isComplete = TINTYPE_URL && TINTYPE_API_KEY && !isNamed;
  const stored = isComplete ? undefined : await readStored();
  const url = TINTYPE_URL && !isNamed ? addressOf(TINTYPE_URL) : stored?.url;
  // The stored key belongs to the stored address, and is never sent to an address from the environment.
  const key = (isNamed ? undefined : TINTYPE_API_KEY) || (url === stored?.url ? stored?.key : undefined);
  if (key && !/^[\x21-\x7e]+$/.test(key)) {
    throw new UsageError('TINTYPE_API_KEY must consist of printable ASCII characters without spaces');
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

async function readStored(): Promise<Partial<Settings> | undefined> {
  const file = settingsFile();
  try {
    const { url, key } = JSON.parse(await readFile(file, 'utf8')) as Partial<Settings>;
    return { ...(typeof url === 'string' && { url }), ...(typeof key === 'string' && { key }) };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    if (error instanceof SyntaxError || error instanceof TypeError)
      throw new UsageError(`${file} is damaged; run "tt login" again`);
    throw new UsageError(`cannot read ${file}: ${(error as Error).message}`);
  }
}

/** Only its owner can read it, from the first byte on, and it is never half written. */
export async function storeSettings(settings: Settings): Promise<string> {
  const file = settingsFile();
  const temporary = `${file}.${process.pid}`;
  try {
    await mkdir(settingsFolder(), { recursive: true, mode: 0o700 });
    await writeFile(temporary, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
    await chmod(temporary, 0o600);
    await rename(temporary, file);
  } catch (error) {
    throw new UsageError(
      `cannot write ${file}: ${(error as Error).message}; XDG_CONFIG_HOME names another folder, or set TINTYPE_URL and TINTYPE_API_KEY`,
    );
  }
  return file;
}

/** Returns whether there was a login. */
export async function forgetSettings(): Promise<boolean> {
  try {
    await rm(settingsFile());
    return true;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw new UsageError(`cannot remove ${settingsFile()}: ${(error as Error).message}`);
  }
}

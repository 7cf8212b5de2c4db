// The operator's variables: one table gives the type, the defaults, the error messages and docs/configuration.md.
// None is required; all mistakes are reported at once. This is the only reader of process.env.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { memory } from '#browser/process/memory.ts';
import { parseEgressAllow, type EgressException } from '#browser/egress/allow-list.ts';
import { parsePlans, type Plan } from '#accounts/plans.ts';
import {
  integer,
  oneOf,
  optional,
  parseBaseUrl,
  parseDatabaseUrl,
  parseOrigins,
  parseSmtpUrl,
  parseStorageUrl,
  parseTrustProxy,
  text,
  type StorageLocation,
  type Variable,
} from '#roof/config-forms.ts';

/** The version of this clone. */
export const { version } = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8'),
) as { version: string };

const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
type LogLevel = (typeof logLevels)[number];

export const variables = {
  HOST: text('127.0.0.1', 'Address to listen on; 0.0.0.0 for all.'),
  PORT: integer(3000, 1, 65_535, 'Port to listen on.'),
  BASE_URL: optional(
    'http://localhost:PORT',
    'Public address of the service. Every link in a response is built from it.',
    'an http(s) address without path, query or credentials, such as https://img.example.com',
    parseBaseUrl,
  ),
  CONTENT_BASE_URL: optional(
    'BASE_URL',
    'Another address of the same service that serves only file bytes: a CDN or a separate host. Nothing else is served there.',
    'an http(s) address without path, query or credentials, such as https://files.example.com',
    parseBaseUrl,
  ),
  CORS_ORIGINS: {
    description: 'Origins whose pages may call the API from a browser. A key in a public page is public.',
    expected: 'a comma-separated list of origins, each scheme://host[:port], such as https://app.example.com',
    shownDefault: 'none',
    parse: parseOrigins,
    default: [],
  } as Variable<string[]>,
  DATA_DIR: { ...text('data', 'Folder for the database and the stored files.'), shownDefault: './data' },
  DATABASE_URL: optional(
    'SQLite in DATA_DIR',
    'Postgres database, for more than one machine. Behind PgBouncer in transaction mode, add `?pgbouncer=true`.',
    'postgres://user:password@host:5432/database',
    parseDatabaseUrl,
  ),
  DATABASE_POOL_SIZE: integer(10, 1, 200, 'Maximum number of connections to Postgres per process.'),
  STORAGE_URL: optional(
    'files in DATA_DIR',
    'S3 store for the files, for more than one machine. Credentials come from the AWS variables or the platform.',
    's3://bucket?endpoint=https://…&region=…&prefix=…, each parameter optional',
    parseStorageUrl,
  ),
  STORAGE_REDIRECT: oneOf(
    'false',
    ['true', 'false'],
    'Whether pictures in an S3 store are served by the store itself, through signed URLs that expire within minutes.',
  ),
  PLANS_FILE: optional(
    'the built-in plans',
    'JSON file of plans; see below.',
    'the path of a JSON file',
    (path): Plan[] => parsePlans(readFileSync(path, 'utf8')),
  ),
  RENDER_CONCURRENCY: optional(
    'from the cores and memory',
    'Renders that run at once on this machine; the rest wait in a queue. One account may use all of these slots; accounts with no render running have a third as many of their own.',
    'an integer from 1 to 256',
    (value) => (/^[1-9]\d{0,2}$/.test(value) && Number(value) <= 256 ? Number(value) : undefined),
  ),
  CHROMIUM_PATH: optional(
    "the system's headless-shell, else the one from npm, else one downloaded for the platform",
    'The browser to use.',
    'the path of a Chromium or headless-shell',
    (value) => value,
  ),
  EGRESS_ALLOW: {
    description: 'Exceptions to the rule that renders may reach only public addresses.',
    expected: 'a comma-separated list of host[:port], IP[:port], [IPv6][:port] or CIDR[:port]',
    shownDefault: 'none',
    parse: parseEgressAllow,
    default: [],
  } as Variable<EgressException[]>,
  CACHE_DIR: optional(
    '.cache in the clone',
    "Folder for the fonts and, unless the system's is used, the browser: about 400 MB; recreated when missing.",
    'the path of a folder',
    (value) => value,
  ),
  SIGNUPS: optional(
    'closed, until the owner opens them in the dashboard',
    'Whether anyone may create an account in the dashboard. If set, it overrides the choice made in the dashboard.',
    'one of closed, open',
    (value) => (value === 'closed' || value === 'open' ? value : undefined),
  ),
  SMTP_URL: optional(
    'links are written to the log',
    'Mail server for verification, invitation and password links, and for warnings about quotas.',
    'an address such as smtps://user:password@mail.example.com:465',
    parseSmtpUrl,
  ),
  MAIL_FROM: optional(
    'tintype@ the host of BASE_URL',
    'Sender of e-mails.',
    'an e-mail address, or Name <address>',
    (value) => (/^[^\r\n@]+@[^\r\n@]+$/.test(value) ? value : undefined),
  ),
  TLS_CERT_FILE: optional(
    'plain http',
    'Certificate chain in PEM; with TLS_KEY_FILE the service speaks https.',
    'the path of a PEM file',
    (path): Buffer => readFileSync(path),
  ),
  TLS_KEY_FILE: optional('plain http', 'Private key in PEM.', 'the path of a PEM file', (path): Buffer =>
    readFileSync(path),
  ),
  TRUST_PROXY: {
    description: 'Which proxies may set X-Forwarded-For: all, the last N hops, or the listed addresses.',
    expected: 'true, false, a number of hops, or a comma-separated list of addresses and CIDR blocks',
    shownDefault: 'false',
    parse: parseTrustProxy,
    default: false,
  } as Variable<boolean | number | string[]>,
  LOG_LEVEL: oneOf('info', logLevels, 'How much is logged.'),
} satisfies Record<string, Variable<unknown>>;

// Program paths, proxies and their certificates, and alternative download servers.
const fetchVariables =
  /^(PATH|LD_LIBRARY_PATH|APT_CONFIG|(https?|all|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR))$|^PLAYWRIGHT_/i;

type Variables = { [Name in keyof typeof variables]: (typeof variables)[Name]['default'] };

export interface Config {
  host: string;
  port: number;
  baseUrl: string;
  /** The base of links to file bytes. */
  contentBaseUrl: string;
  corsOrigins: string[];
  dataDir: string;
  databaseFile: string;
  /** Postgres; undefined means the SQLite file. */
  databaseUrl: string | undefined;
  databasePoolSize: number;
  /** An S3 store; undefined means the folder. */
  storage: StorageLocation | undefined;
  redirectsToStorage: boolean;
  blobsDir: string;
  renderConcurrency: number;
  chromiumPath: string | undefined;
  egressAllow: EgressException[];
  cacheDir: string;
  /** The folders of PATH. */
  programFolders: string[];
  /** The environment variables passed to the programs that download a browser. */
  fetchEnvironment: Record<string, string>;
  /** Plans that extend or replace the built-in ones. */
  plans: Plan[];
  tls: { cert: Buffer; key: Buffer } | undefined;
  /** Undefined: the owner decides in the dashboard. */
  signups: 'closed' | 'open' | undefined;
  smtpUrl: string | undefined;
  mailFrom: string;
  trustProxy: boolean | number | string[];
  logLevel: LogLevel;
}

/** Thrown with every mistake, one to a line. */
class ConfigError extends Error {}

export function readConfig(environment: NodeJS.ProcessEnv = process.env): Readonly<Config> {
  const mistakes: string[] = [];
  const values = Object.fromEntries(
    Object.entries<Variable<unknown>>(variables).map(([name, variable]) => [
      name,
      readVariable(name, variable, environment[name], mistakes),
    ]),
  ) as unknown as Variables;

  const { TLS_CERT_FILE: cert, TLS_KEY_FILE: key } = values;
  const tls = cert && key && { cert, key };
  if (!environment['TLS_CERT_FILE'] !== !environment['TLS_KEY_FILE']) {
    mistakes.push('TLS_CERT_FILE and TLS_KEY_FILE belong together: set both or neither');
  }
  if (tls) checkTls(tls, mistakes);
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'));

  const dataDir = resolve(values.DATA_DIR);
  const scheme = tls ? 'https' : 'http';
  const baseUrl = values.BASE_URL ?? `${scheme}://localhost:${values.PORT}`;
  return Object.freeze({
    host: values.HOST,
    port: values.PORT,
    baseUrl,
    contentBaseUrl: values.CONTENT_BASE_URL ?? baseUrl,
    corsOrigins: values.CORS_ORIGINS,
    dataDir,
    databaseFile: join(dataDir, 'tintype.db'),
    databaseUrl: values.DATABASE_URL,
    databasePoolSize: values.DATABASE_POOL_SIZE,
    storage: values.STORAGE_URL,
    redirectsToStorage: values.STORAGE_REDIRECT === 'true',
    blobsDir: join(dataDir, 'blobs'),
    renderConcurrency: values.RENDER_CONCURRENCY ?? usualRenderConcurrency(),
    chromiumPath: values.CHROMIUM_PATH,
    egressAllow: values.EGRESS_ALLOW,
    cacheDir: resolve(values.CACHE_DIR ?? join(import.meta.dirname, '..', '.cache')),
    programFolders: (environment['PATH'] ?? '').split(delimiter).filter(Boolean),
    fetchEnvironment: Object.fromEntries(
      Object.entries(environment).flatMap(([name, value]) =>
        value !== undefined && fetchVariables.test(name) ? [[name, value]] : [],
      ),
    ),
    plans: values.PLANS_FILE ?? [],
    tls,
    signups: values.SIGNUPS,
    smtpUrl: values.SMTP_URL,
    mailFrom: values.MAIL_FROM ?? `Tintype <tintype@${new URL(baseUrl).hostname}>`,
    trustProxy: values.TRUST_PROXY,
    logLevel: values.LOG_LEVEL,
  });
}

/** The same configuration with some variables changed. */
export const readConfigWith = (changes: Record<string, string | undefined>): Readonly<Config> =>
  readConfig({ ...process.env, ...changes });

function readVariable(
  name: string,
  variable: Variable<unknown>,
  given: string | undefined,
  mistakes: string[],
): unknown {
  if (given === undefined || given === '') return variable.default;
  const shown = mayHoldSecret(name, given)
    ? `invalid ${name}, which is not shown because it may hold a password`
    : `invalid ${name}: ${JSON.stringify(given)}`;
  try {
    const value = variable.parse(given);
    if (value !== undefined) return value;
    mistakes.push(`${shown} (expected ${variable.expected})`);
  } catch (error) {
    const reason = (error as Error).message;
    mistakes.push(`${shown} (expected ${variable.expected}; ${reason})`);
  }
  return variable.default;
}

const secretVariables = ['DATABASE_URL', 'STORAGE_URL', 'SMTP_URL'];

/** Error messages end up in logs, and in a mistyped URL there is no telling which part is the password. */
const mayHoldSecret = (name: string, given: string): boolean =>
  secretVariables.includes(name) || (given.includes('@') && name !== 'MAIL_FROM');

function checkTls(tls: { cert: Buffer; key: Buffer }, mistakes: string[]): void {
  try {
    createSecureContext(tls);
  } catch (error) {
    mistakes.push(
      `invalid TLS_CERT_FILE or TLS_KEY_FILE: they cannot be used together (${(error as Error).message})`,
    );
  }
}

/**
 * Two renders per core keep it busy while pages wait for the network, and a third of the slots are reserved
 * (renders/render-queue.ts); each render may need half a gigabyte.
 */
function usualRenderConcurrency(): number {
  const byMemory = Math.floor(memory.totalBytes / (512 * 1024 * 1024));
  return Math.max(1, Math.min(availableParallelism() * 3, byMemory, 48));
}

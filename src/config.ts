// The operator's variables: one table gives the type, the defaults, the error messages and docs/configuration.md.
// None is required; all mistakes are reported at once. This is the only reader of process.env.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { isWellFormedApiKey } from '#core/ids.ts';
import { root } from '#core/programs.ts';
import { parseEgressAllow } from '#wall/egress-allow.ts';
import { checkHostNames } from '#wall/blocked-hosts.ts';
import { memory } from '#browser/process/memory.ts';
import type { Plan } from '#accounts/plans.ts';
import {
  integer,
  oneOf,
  optional,
  parseBaseUrl,
  parseDatabaseUrl,
  parseEmail,
  parseIssuer,
  parseOrigins,
  parsePlans,
  parsePort,
  parseSmtpUrl,
  parseStorageUrl,
  parseTrustProxy,
  parseWord,
  readOidc,
  secret,
  text,
  type Variable,
} from '#roof/config-forms.ts';

const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

export const variables = {
  HOST: text('127.0.0.1', 'Address to listen on; 0.0.0.0 for all.'),
  PORT: integer(3000, 1, 65_535, 'Port to listen on.'),
  METRICS_PORT: optional(
    'none',
    'Port of 127.0.0.1 for `/metrics`, which then is not at PORT. Unset, anyone who reaches PORT can read it.',
    'an integer from 1 to 65535, other than PORT',
    parsePort,
  ),
  BASE_URL: optional(
    'http://localhost:PORT',
    'Public address of the service. Every link in a response is built from it.',
    'an http(s) address without path, query or credentials, such as https://img.example.com',
    parseBaseUrl,
  ),
  CONTENT_BASE_URL: optional(
    'BASE_URL',
    'Another address of the same service that serves only file bytes: a CDN or a separate host.',
    'an http(s) address without path, query or credentials, such as https://files.example.com',
    parseBaseUrl,
  ),
  CORS_ORIGINS: optional(
    'none',
    'Origins whose pages may call the API from a browser. A key in a public page is public.',
    'a comma-separated list of origins, each scheme://host[:port], such as https://app.example.com',
    parseOrigins,
  ),
  DATA_DIR: text('./data', 'Folder for the database and the stored files.'),
  DATABASE_URL: secret(
    optional(
      'SQLite in DATA_DIR',
      'Postgres database, for more than one machine. Behind PgBouncer in transaction mode, add `?pgbouncer=true`.',
      'postgres://user:password@host:5432/database',
      parseDatabaseUrl,
    ),
  ),
  DATABASE_POOL_SIZE: integer(10, 1, 200, 'Maximum number of connections to Postgres per process.'),
  STORAGE_URL: secret(
    optional(
      'files in DATA_DIR',
      'S3 store for the files, for more than one machine. Credentials come from the AWS variables or the platform.',
      's3://bucket?endpoint=https://…&region=…&prefix=…, each parameter optional',
      parseStorageUrl,
    ),
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
  RENDER_CONCURRENCY: {
    ...integer(
      defaultRenderConcurrency(),
      1,
      256,
      'Renders that run at once on this machine; the rest wait in a queue. One account may use all of these slots: a third as many more are reserved for accounts with no render running.',
    ),
    shownDefault: 'from the cores and memory',
  },
  BROWSER_IDLE_SECONDS: integer(
    600,
    0,
    86_400,
    'Time without a render after which the last browser ends, to free its memory; the next render starts one. 0 keeps it.',
  ),
  CHROMIUM_PATH: optional(
    "the newest headless-shell of the system or downloaded, else the system's Chromium",
    'The browser to use.',
    'the path of a Chromium or headless-shell',
    (value) => value,
  ),
  EGRESS_ALLOW: optional(
    'none',
    'Exceptions to the rule that renders, webhooks and transfers of files may reach only public addresses.',
    'a comma-separated list of host[:port], IP[:port], [IPv6][:port] or CIDR[:port]',
    parseEgressAllow,
  ),
  BLOCKED_HOSTS_FILE: optional(
    'none',
    'Hosts that a render of version 2 cannot reach if it blocks ads. Without the file, such a render is refused.',
    'the path of a hosts file, or of a file with one name on each line',
    (path): string => {
      checkHostNames(readFileSync(path, 'utf8'));
      return resolve(path);
    },
  ),
  CACHE_DIR: optional(
    '.cache in the clone',
    "Folder for the fonts and, unless the system's is used, the browser: about 400 MB, and 300 MB more while one is renewed; recreated when missing.",
    'the path of a folder',
    (value) => value,
  ),
  OWNER_EMAIL: {
    ...optional(
      'owner@tintype.local',
      'E-mail address of the owner, whose account the first start creates. Later starts ignore it.',
      'an e-mail address',
      parseEmail,
    ),
    default: 'owner@tintype.local',
  },
  OWNER_KEY: secret(
    optional(
      'made by the first start',
      "The owner's first API key, for an unattended first start. Later starts ignore it.",
      'a key that `npx tintype key generate` printed',
      (value) => (isWellFormedApiKey(value) ? value : undefined),
    ),
  ),
  OWNER_FILE: optional(
    'printed',
    "Where the first start writes the owner's sign-in link and key instead of printing them. Only the service's user can read the file.",
    'the path of a file',
    (value) => value,
  ),
  SIGNUPS: optional(
    'closed, until the owner opens them in the dashboard',
    'Whether anyone may create an account in the dashboard. If set, it overrides the choice made in the dashboard.',
    'one of closed, open',
    (value) => (value === 'closed' || value === 'open' ? value : undefined),
  ),
  OIDC_ISSUER: optional(
    'no sign-in provider',
    'Issuer of an OpenID Connect provider with which people can sign in. Needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET; the address to allow there is BASE_URL/api/dashboard/oidc/callback.',
    "the provider's issuer exactly as it names itself, an http(s) address without query, such as https://login.example.com/realms/main",
    parseIssuer,
  ),
  OIDC_CLIENT_ID: optional(
    'none',
    'The client id that the provider gave this service.',
    'a text without spaces',
    parseWord,
  ),
  OIDC_CLIENT_SECRET: secret(
    optional('none', 'The client secret of that id.', 'a text without spaces', parseWord),
  ),
  OIDC_NAME: optional(
    'the host of OIDC_ISSUER',
    'How the button on the sign-in page names the provider.',
    'a text of at most 40 characters',
    (value) => (value.trim().length <= 40 ? value.trim() || undefined : undefined),
  ),
  OIDC_SIGNUPS: optional(
    'as SIGNUPS',
    'Whether people who are new to this service get an account when they sign in with the provider.',
    'one of closed, open',
    (value) => (value === 'closed' || value === 'open' ? value : undefined),
  ),
  SMTP_URL: secret(
    optional(
      'links are written to the log',
      'Mail server for verification, invitation and password links, and for warnings about quotas.',
      'an address such as smtps://user:password@mail.example.com:465',
      parseSmtpUrl,
    ),
  ),
  MAIL_FROM: optional(
    'tintype@ and the host of BASE_URL',
    'Sender of e-mails.',
    'an e-mail address, or Name <address>',
    (value) => (/^[^\r\n@]+@[^\r\n@]+$/.test(value) ? value : undefined),
  ),
  TLS_CERT_FILE: optional(
    'plain http',
    'Certificate chain in PEM; with TLS_KEY_FILE the service speaks https. Both are read again every minute.',
    'the path of a PEM file',
    (path): Buffer => readFileSync(path),
  ),
  TLS_KEY_FILE: optional('plain http', 'Private key in PEM.', 'the path of a PEM file', (path): Buffer =>
    readFileSync(path),
  ),
  TRUST_PROXY: optional(
    'false',
    'Which proxies may set X-Forwarded-For: all, the last N hops, or the listed addresses.',
    'true, false, a number of hops, or a comma-separated list of addresses and CIDR blocks',
    parseTrustProxy,
  ),
  LOG_LEVEL: oneOf('info', logLevels, 'How much is logged.'),
} satisfies Record<string, Variable<unknown>>;

// Program paths, proxies and their certificates, alternative download servers, and the settings of npm.
const fetchVariables =
  /^(PATH|HOME|LD_LIBRARY_PATH|APT_CONFIG|(https?|all|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR))$|^(PLAYWRIGHT|npm)_/i;

type Variables = { [Name in keyof typeof variables]: (typeof variables)[Name]['default'] };

export type Config = ReturnType<typeof readConfig>;

/** Throws one error with every mistake, one to a line. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env) {
  const mistakes: string[] = [];
  const given = withFiles(environment, mistakes);
  const values = Object.fromEntries(
    Object.entries<Variable<unknown>>(variables).map(([name, variable]) => [
      name,
      readVariable(name, variable, given[name], mistakes),
    ]),
  ) as unknown as Variables;

  const { TLS_CERT_FILE: cert, TLS_KEY_FILE: key } = values;
  const readFiles = () => ({
    cert: readFileSync(environment['TLS_CERT_FILE'] ?? ''),
    key: readFileSync(environment['TLS_KEY_FILE'] ?? ''),
  });
  const tls = cert && key && { cert, key, reread: readFiles };
  if (!environment['TLS_CERT_FILE'] !== !environment['TLS_KEY_FILE']) {
    mistakes.push('TLS_CERT_FILE and TLS_KEY_FILE belong together: set both or neither');
  }
  if (values.METRICS_PORT === values.PORT) mistakes.push('METRICS_PORT is PORT: set another port');
  if (tls) checkTls(tls, mistakes);
  const oidc = readOidc(values, (name) => Boolean(given[name]), mistakes);
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'));

  const dataDir = resolve(values.DATA_DIR);
  const scheme = tls ? 'https' : 'http';
  const baseUrl = values.BASE_URL ?? `${scheme}://localhost:${values.PORT}`;
  return Object.freeze({
    host: values.HOST,
    port: values.PORT,
    /** Undefined: /metrics is at `port`. */
    metricsPort: values.METRICS_PORT,
    baseUrl,
    /** The base of links to file bytes. */
    contentBaseUrl: values.CONTENT_BASE_URL ?? baseUrl,
    corsOrigins: values.CORS_ORIGINS ?? [],
    dataDir,
    databaseFile: join(dataDir, 'tintype.db'),
    /** Postgres; undefined means the SQLite file. */
    databaseUrl: values.DATABASE_URL,
    /** The variable that named it. */
    databaseVariable: environment['DATABASE_URL'] ? 'DATABASE_URL' : 'DATABASE_URL_FILE',
    databasePoolSize: values.DATABASE_POOL_SIZE,
    /** An S3 store; undefined means the folder. */
    storage: values.STORAGE_URL,
    redirectsToStorage: values.STORAGE_REDIRECT === 'true',
    blobsDir: join(dataDir, 'blobs'),
    renderConcurrency: values.RENDER_CONCURRENCY,
    /** Infinity to keep it. */
    browserRestAfterMs: values.BROWSER_IDLE_SECONDS === 0 ? Infinity : values.BROWSER_IDLE_SECONDS * 1000,
    chromiumPath: values.CHROMIUM_PATH,
    egressAllow: values.EGRESS_ALLOW ?? [],
    blockedHostsFile: values.BLOCKED_HOSTS_FILE ?? null,
    cacheDir: resolve(values.CACHE_DIR ?? join(root, '.cache')),
    /** The folders of PATH. */
    programFolders: (environment['PATH'] ?? '').split(delimiter).filter(Boolean),
    /** The environment variables passed to the programs that download a browser. */
    fetchEnvironment: Object.fromEntries(
      Object.entries(environment).flatMap(([name, value]) =>
        value !== undefined && fetchVariables.test(name) ? [[name, value]] : [],
      ),
    ),
    /** Plans that extend or replace the built-in ones. */
    plans: values.PLANS_FILE ?? [],
    tls,
    ownerEmail: values.OWNER_EMAIL,
    ownerKey: values.OWNER_KEY,
    ownerFile: values.OWNER_FILE,
    /** Undefined: the owner decides in the dashboard. */
    signups: values.SIGNUPS,
    /** The OpenID Connect provider that people can sign in with. */
    oidc,
    smtpUrl: values.SMTP_URL,
    mailFrom: values.MAIL_FROM ?? `Tintype <tintype@${new URL(baseUrl).hostname}>`,
    trustProxy: values.TRUST_PROXY ?? false,
    logLevel: values.LOG_LEVEL,
  });
}

/** The same configuration with some variables changed. */
export const readConfigWith = (changes: Record<string, string | undefined>): Config =>
  readConfig({ ...process.env, ...changes });

/** The names of the variables that a file may hold. */
export const secretVariables = Object.entries<Variable<unknown>>(variables).flatMap(([name, { isSecret }]) =>
  isSecret ? [name] : [],
);

/** The environment, with what the files of secrets hold: an orchestrator mounts a secret as a file, out of reach of `docker inspect`. */
function withFiles(environment: NodeJS.ProcessEnv, mistakes: string[]): NodeJS.ProcessEnv {
  const given = { ...environment };
  for (const name of secretVariables) {
    const path = environment[`${name}_FILE`];
    if (!path) continue;
    if (environment[name]) mistakes.push(`${name} and ${name}_FILE are both set: set one of them`);
    try {
      given[name] = readFileSync(path, 'utf8').trim();
      if (given[name] === '') throw new Error('the file is empty');
    } catch (error) {
      const reason = (error as Error).message;
      mistakes.push(`invalid ${name}_FILE: ${JSON.stringify(path)} (expected the path of a file; ${reason})`);
    }
  }
  return given;
}

function readVariable(
  name: string,
  variable: Variable<unknown>,
  given: string | undefined,
  mistakes: string[],
): unknown {
  if (given === undefined || given === '') return variable.default;
  const shown = mayHoldSecret(name, variable, given)
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

/** Error messages end up in logs, and in a mistyped URL there is no telling which part is the password. */
const mayHoldSecret = (name: string, { isSecret }: Variable<unknown>, given: string): boolean =>
  isSecret === true || (given.includes('@') && !['MAIL_FROM', 'OWNER_EMAIL'].includes(name));

function checkTls(tls: { cert: Buffer; key: Buffer }, mistakes: string[]): void {
  try {
    createSecureContext(tls);
  } catch (error) {
    mistakes.push(
      `invalid TLS_CERT_FILE or TLS_KEY_FILE: they cannot be used together (${(error as Error).message})`,
    );
  }
}

/** Three renders per core keep it busy while pages wait for the network; each may need half a gigabyte. */
function defaultRenderConcurrency(): number {
  const byMemory = Math.floor(memory.totalBytes / (512 * 1024 * 1024));
  return Math.max(1, Math.min(availableParallelism() * 3, byMemory, 48));
}

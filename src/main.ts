// The process: reads the configuration, starts the service, prints the first-start block, exits on a signal or an uncaught error.
import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { AccountError } from '#accounts/accounts.ts';
import { writePrivate } from '#storage/private-file.ts';
import { readConfig, type Config } from '#roof/config.ts';
import { endOnFault } from '#roof/last-resort.ts';
import { createLog } from '#roof/log.ts';
import { createOutput, type Output } from '#roof/output.ts';
import { createService, type Service } from '#roof/service.ts';

const shutdownMs = 80_000;

export async function serve(): Promise<void> {
  // By default V8 lets the heap grow to three times the live data before it collects, and does not give the memory back.
  setFlagsFromString('--heap-growing-percent=70');
  // V8 also keeps enlarging the young generation. Request bodies live outside that heap, so by the time it fills, enough of them
  // have piled up to force a major GC, which costs a third of a core under upload load. So keep it small.
  setFlagsFromString('--semi-space-growth-factor=1');
  let isEnding = () => false;
  try {
    const config = readConfig();
    const output = createOutput();
    const log = createLog(config.logLevel, output);
    let started: Service | undefined;
    endOnFault(log, () => started);
    const service = await createService(config, log);
    started = service;
    // Before it is ready, because a signal may come as soon as that shows.
    isEnding = endOnSignal(service);
    await service.listen().catch((error: unknown) => {
      throw new Error(listenProblem(error as NodeJS.ErrnoException, config));
    });
    log.info(`listening on ${config.host}:${config.port}; the public address is ${config.baseUrl}`);
    await service.browserStarted;
    await welcomeOwner(service, config, output, log);
  } catch (error) {
    // What was still under way when the parts were closed.
    if (isEnding()) return;
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  }
}

/**
 * The first start with an empty database creates the owner's account, and shows its sign-in link and key once. Where the output is a log,
 * which is kept and read by many, OWNER_FILE takes them instead: a file that only the service's user can read.
 */
async function welcomeOwner(service: Service, config: Config, output: Output, log: Logger): Promise<void> {
  const { accounts } = service;
  const { ownerEmail: email, ownerKey, ownerFile } = config;
  if (!(await accounts.isEmpty())) return;
  try {
    await accounts.create(email, { plan: 'business', owner: true });
  } catch (error) {
    // Another process that started at the same time was first, and welcomes the owner.
    if (error instanceof AccountError) return;
    throw error;
  }
  const { key } = await accounts.createKey(email, 'first key', { key: ownerKey });
  if (ownerKey !== undefined) log.info({ owner: email }, 'first start: the owner has the key of OWNER_KEY');
  else if (ownerFile === undefined) output.write(await welcome(service, config, key));
  else {
    writePrivate(ownerFile, await welcome(service, config, key));
    log.info(
      { owner: email, file: ownerFile },
      "first start: the owner's sign-in link and API key are in a file; delete it",
    );
  }
}

async function welcome({ signIn }: Service, config: Config, key: string): Promise<string> {
  const { baseUrl, ownerEmail: email } = config;
  const command = [...settingsOf(config), 'npx tintype'].join(' ');
  return `
  Tintype is ready at ${baseUrl}

  Your dashboard ${await signIn.welcomeLink(email)}
                 The link signs you in once; "${command} account link ${email}" makes another.
  Your account   ${email} (plan business)
  Your API key   ${key}
                 It is shown only now; "${command} key create --account ${email}" makes another.

  Put a picture online:

  curl ${baseUrl}/api/v1/upload \\
    -H "Authorization: Bearer ${key}" \\
    -F file=@docs/sample.png

`;
}

/** Returns whether a signal has come. */
function endOnSignal(service: Service): () => boolean {
  let isEnding = false;
  const end = () => {
    isEnding = true;
    setTimeout(() => process.exit(1), shutdownMs).unref();
    service.close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${(error as Error).message}\n`);
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
  return () => isEnding;
}

/** Names the variable that has to change. */
function listenProblem(
  { code, syscall, message, port }: NodeJS.ErrnoException & { port?: number },
  { host, metricsPort }: Config,
): string {
  const variable = port === metricsPort ? 'METRICS_PORT' : 'PORT';
  if (code === 'EADDRINUSE') return `port ${port} is in use; set ${variable} to another`;
  if (code === 'EACCES') return `${variable}: the service may not listen on ${port} (${message})`;
  const isHost = syscall === 'listen' || syscall === 'getaddrinfo';
  return isHost ? `HOST: the service cannot listen on ${host} (${message})` : message;
}

/** The environment variables that a command needs to reach this installation, as typed before it; never a secret. */
function settingsOf({ dataDir, baseUrl, port, databaseUrl, databaseVariable }: Config): string[] {
  const isDefaultUrl = baseUrl === `http://localhost:${port}`;
  return [
    ...(databaseUrl === undefined ? [] : [`${databaseVariable}="$${databaseVariable}"`]),
    ...(dataDir === resolve('data') ? [] : [`DATA_DIR=${quoted(dataDir)}`]),
    ...(isDefaultUrl && port !== 3000 ? [`PORT=${port}`] : []),
    ...(isDefaultUrl ? [] : [`BASE_URL=${quoted(baseUrl)}`]),
  ];
}

const quoted = (text: string): string =>
  /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

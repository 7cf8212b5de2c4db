// The product as the operator runs it: child processes of bin/tintype.js.
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '#test/support/wait-for.ts';

export const root = join(import.meta.dirname, '..', '..');
export const program = join(root, 'bin', 'tintype.js');

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface ServeProcess {
  child: ChildProcess;
  origin: string;
  stdout: () => string;
  stderr: () => string;
  /** Resolves when the process is gone. */
  ended: Promise<Ended>;
  /** Ends it with a signal and waits. */
  end: (signal?: NodeJS.Signals) => Promise<Ended>;
}

type Environment = Record<string, string>;

/** For child processes that get only named variables: they share compiled code, which saves two thirds of the time of a start. */
export const compileCache: Environment = {
  NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'tintype'),
};

const { CHROMIUM_PATH, LD_LIBRARY_PATH } = process.env;
export const browserUnderTest: Environment = CHROMIUM_PATH === undefined ? {} : { CHROMIUM_PATH };
/** Libraries of the runtime, if the system lacks them. */
const libraries: Environment = LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH };

export async function temporaryFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'tintype-test-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Runs one command to its end. */
export async function tintype(args: string[], environment: Environment = {}): Promise<Ended> {
  return collect(start(process.execPath, [program, ...args], environment)).ended;
}

/** A service on a free port, started but perhaps not ready yet. */
export async function spawnServe(
  environment: Environment,
  command: string[] = [process.execPath, program, 'serve'],
): Promise<ServeProcess> {
  const port = environment['PORT'] ?? String(await freePort());
  const [file = '', ...args] = command;
  const child = start(file, args, { PORT: port, ...environment });
  const output = collect(child);
  const scheme = environment['TLS_CERT_FILE'] === undefined ? 'http' : 'https';
  return {
    child,
    origin: `${scheme}://127.0.0.1:${port}`,
    ...output,
    async end(signal = 'SIGTERM') {
      child.kill(signal);
      return output.ended;
    },
  };
}

/** A service that answers /readyz. */
export async function serveUntilReady(environment: Environment, command?: string[]): Promise<ServeProcess> {
  const serving = await spawnServe(environment, command);
  try {
    await waitFor('the service to be ready', async () => {
      if (serving.child.exitCode !== null) throw new Error(`it ended: ${serving.stderr()}`);
      const response = await fetch(`${serving.origin}/readyz`).catch(() => undefined);
      return response?.status === 200;
    });
  } catch (error) {
    await serving.end('SIGKILL');
    throw error;
  }
  return serving;
}

/** What the first start leaves for the owner in OWNER_FILE: a sign-in link, a key and a command. */
export async function ownerFile(file: string): Promise<string> {
  await waitFor('the file of the owner', async () => {
    const text = await readFile(file, 'utf8').catch(() => '');
    return text.includes('sample.png');
  });
  return readFile(file, 'utf8');
}

/** A server that is ended by this signal when its input ends, which happens however this process ends. */
export function spawnTied(signal: 'INT' | 'KILL', command: string[], options: SpawnOptions): ChildProcess {
  const watch = `"$@" </dev/null & server=$!; cat >/dev/null; kill -${signal} $server 2>/dev/null; wait $server`;
  return spawn('sh', ['-c', watch, 'sh', ...command], options);
}

/** Of the ports of this process: processes that run side by side have others. */
let portsGiven = 0;

/**
 * A port that nothing listens on. It is below those that systems give to connections and to listeners that take any port, and in a
 * hundred of this process alone, so that nothing takes it before it is used.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 11_000 + (process.pid % 210) * 100 + (portsGiven++ % 100);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** Only the named variables: the shell's environment must not affect tests, except for the choice of browser. */
function start(file: string, args: string[], environment: Environment): ChildProcess {
  const PATH = `${join(process.execPath, '..')}:${process.env['PATH'] ?? ''}`;
  return spawn(file, args, {
    cwd: root,
    env: { PATH, LOG_LEVEL: 'info', ...libraries, ...browserUnderTest, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function collect(child: ChildProcess): Pick<ServeProcess, 'stdout' | 'stderr' | 'ended'> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  child.on('error', reject);
  child.on('close', (code) => resolve({ code, stdout, stderr }));
  return { stdout: () => stdout, stderr: () => stderr, ended: promise };
}

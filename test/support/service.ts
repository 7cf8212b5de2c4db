// A real service for tests: its own data folder, its own port, and a clock whose timers run when the test moves it.
import { createHash, randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { scryptPasswords, type PasswordScheme } from '#accounts/password-hashing.ts';
import { readConfig, type Config } from '#roof/config.ts';
import { createService, type Seams, type Service } from '#roof/service.ts';
import { createTestClock, type TestClock } from '#test/support/clock.ts';
import { openLateBrowser } from '#test/support/late-browser.ts';
import { browserUnderTest } from './processes.ts';
import { newStores } from './stores.ts';

export interface TestService extends Service {
  /** Where requests go: the service's own port. Links in responses begin with `config.baseUrl` instead. */
  origin: string;
  config: Config;
  /** Environment variables with which other processes use the same data. */
  environment: Record<string, string>;
  clock: TestClock;
  logLines: () => Record<string, unknown>[];
  /** The newest matching line that was not returned before; waits for it. */
  nextLine: (isWanted: (line: Record<string, unknown>) => boolean) => Promise<Record<string, unknown>>;
  /** A key of a new account. */
  newKey: (options?: {
    plan?: string;
    overages?: boolean;
  }) => Promise<{ key: string; keyId: string; email: string; accountId: string }>;
  stop: () => Promise<void>;
}

export async function startService(
  given: Record<string, string> = {},
  clockAheadMs = 0,
  nameServers?: string[],
  seams: Partial<Seams> & { clock?: TestClock } = {},
): Promise<TestService> {
  const dataDir = given['DATA_DIR'] ?? (await mkdtemp(join(tmpdir(), 'tintype-test-')));
  // A test that names a data folder wants its data there.
  const hasPlace = given['DATA_DIR'] !== undefined || given['DATABASE_URL'] !== undefined;
  const stores = hasPlace ? {} : await newStores();
  const environment = {
    ...browserUnderTest,
    DATA_DIR: dataDir,
    BASE_URL: 'http://tintype.test',
    ...stores,
    ...given,
  };
  const config: Config = {
    ...readConfig(environment),
    ...(given['PORT'] === undefined && { port: 0 }),
  };
  const clock = seams.clock ?? createTestClock();
  await clock.advance(clockAheadMs);
  const lines: Record<string, unknown>[] = [];
  const seen = new Set<Record<string, unknown>>();
  const written = new EventEmitter();
  const log = pino(
    { level: config.logLevel },
    {
      write(line: string) {
        lines.push(JSON.parse(line) as Record<string, unknown>);
        written.emit('line');
      },
    },
  );
  const service = await createService(config, log, {
    clock,
    openBrowser: openLateBrowser,
    passwordScheme: quickPasswords,
    ...(nameServers && { nameServers }),
    ...seams,
    // What the test's clock reads is the time. A server's clock is only estimated, and on a busy machine that is wrong by milliseconds.
    wrapDatabase: (opened) => ({ ...(seams.wrapDatabase?.(opened) ?? opened), aheadMs: () => 0 }),
  });
  const port = await service.listen();
  await service.browserStarted;
  let accounts = 0;
  return {
    ...service,
    origin: `http://127.0.0.1:${port}`,
    config,
    environment,
    clock,
    logLines: () => lines,
    async nextLine(isWanted) {
      for (;;) {
        const line = lines.findLast((candidate) => !seen.has(candidate) && isWanted(candidate));
        if (line) {
          seen.add(line);
          return line;
        }
        await once(written, 'line', { signal: AbortSignal.timeout(60_000) });
      }
    },
    async newKey({ plan = 'business', overages = false } = {}) {
      accounts += 1;
      const email = `user${accounts}-${Date.now()}@example.com`;
      const { id: accountId } = await service.accounts.create(email, { plan });
      if (overages) await service.accounts.update(email, { overages: true });
      const { key, id: keyId } = await service.accounts.createKey(email, 'test');
      return { key, keyId, email, accountId };
    },
    async stop() {
      await service.close();
      if (given['DATA_DIR'] === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Hashes that cost nothing; those of another process, such as a command of the operator, are compared as usual. */
const quickPasswords: PasswordScheme = {
  async hash(password) {
    return quickHash(randomBytes(8).toString('hex'), password);
  },
  async verify({ hash, password }) {
    const [scheme, salt = ''] = hash.split(':');
    return scheme === 'quick'
      ? hash === quickHash(salt, password)
      : scryptPasswords.verify({ hash, password });
  },
};

function quickHash(salt: string, password: string): string {
  return `quick:${salt}:${createHash('sha256').update(salt).update(password).digest('hex')}`;
}

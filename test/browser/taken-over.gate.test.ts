// A decoder of strangers' pictures that was taken over: machine code in its process, in a real service, tries to reach the service and any
// address. Each way is also tried where the browser has no sandbox, to show that it would work.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { writeLauncher } from '#test/support/confined.ts';
import { png } from '#test/support/images.ts';
import { calls, last, type Call } from '#test/support/machine-code.ts';
import { descendants, mainThreadMs, statusOf, workers } from '#test/support/process-table.ts';
import {
  ownerFile,
  program,
  serveUntilReady,
  temporaryFolder,
  type ServeProcess,
} from '#test/support/processes.ts';
import { takeOver, type Outcome } from '#test/support/taken-over.ts';
import { uploadOne } from '#test/support/uploading.ts';
import { sandboxlessChromium } from '#test/support/wrapped-chromium.ts';

const isRoot = process.getuid?.() === 0;
/** That of the image. */
const ordinary = 10_001;
const hereAlso =
  process.platform !== 'linux' || process.arch !== 'x64' ? 'writes code for Linux, x86-64' : false;

let contacts = 0;
const tcp = createServer((socket) => {
  contacts += 1;
  socket.destroy();
});
const udp = createSocket('udp4', () => (contacts += 1));
before(async () => {
  tcp.listen(0, '127.0.0.1');
  udp.bind(0, '127.0.0.1');
  await Promise.all([once(tcp, 'listening'), once(udp, 'listening')]);
});
after(() => {
  tcp.close();
  udp.close();
});

interface Tries {
  [what: string]: Call[];
}

const here = -100;
/** What works without the sandbox for a browser that has the user of the service. */
function reaches(service: number, folder: string): Tries {
  return {
    'the environment of the service': [[calls.openat, here, `/proc/${service}/environ`, 0, 0]],
    'its database': [[calls.openat, here, join(folder, 'tintype.db'), 0, 0]],
    'an address, by TCP': [
      [calls.socket, 2, 1, 0],
      [calls.connect, last, loopback((tcp.address() as AddressInfo).port), 16],
    ],
    'an address, by UDP': [
      [calls.socket, 2, 2, 0],
      [calls.sendto, last, 'bytes', 5, 0, loopback(udp.address().port), 16],
    ],
  };
}

function otherTries(service: number, worker: number): Tries {
  const bytes = Buffer.alloc(32);
  return {
    'the environment of the worker': [[calls.openat, here, `/proc/${worker}/environ`, 0, 0]],
    'a file of the system': [[calls.openat, here, '/etc/passwd', 0, 0]],
    'a file, by a newer call': [[calls.openat2, here, '/etc/passwd', Buffer.alloc(24), 24]],
    'a file of its own': [[calls.openat, here, '/tmp/taken-over', 0o101, 0o600]],
    'a socket of this machine': [[calls.socket, 1, 1, 0]],
    'the memory of the service': [[calls.process_vm_readv, service, bytes, 1, bytes, 1, 0]],
    'the service, as its debugger': [[calls.ptrace, 16, service, 0, 0]],
    'the service, by a signal': [[calls.kill, service, 0]],
    'a ring of calls': [[calls.io_uring_setup, 8, Buffer.alloc(120)]],
    'another program': [[calls.execve, '/bin/sh', 0, 0]],
    'a second process': [[calls.fork]],
  };
}

function loopback(port: number): Buffer {
  const address = Buffer.alloc(16);
  address.writeUInt16LE(2, 0);
  address.writeUInt16BE(port, 2);
  address.writeUInt32BE(0x7f00_0001, 4);
  return address;
}

const settings: { name: string; id: number | undefined; isContainer: boolean; skip: string | false }[] = [
  { name: 'root', id: undefined, isContainer: false, skip: !isRoot && 'this run is without root' },
  { name: 'a user', id: isRoot ? ordinary : undefined, isContainer: false, skip: false },
  {
    name: "a user, with a container's settings",
    id: isRoot ? ordinary : undefined,
    isContainer: true,
    skip: false,
  },
];

for (const { name, id, isContainer, skip } of settings) {
  suite(`the service runs as ${name}`, { skip: hereAlso || skip }, () => {
    test('a decoder that was taken over reaches neither it, nor its files, nor any address', async () => {
      await using service = await start({ id, isContainer });
      const { pid, path } = service;
      const status = statusOf(pid);
      assert.equal(/^Uid:\t(\d+)/m.exec(status)?.[1], String(id ?? process.getuid?.()));
      if (isContainer) assert.match(status, /^NoNewPrivs:\t1\nSeccomp:\t2$/m);
      const [worker] = workers(pid);
      const tries = { ...reaches(pid, path), ...otherTries(pid, worker!.pid) };
      const outcomes = await attempt(service, tries);
      assert.deepEqual(
        outcomes.filter(([, outcome]) => outcome !== 'ended' && outcome >= 0),
        [],
      );
      assert.equal(outcomes.length, Object.keys(tries).length);
      assert.equal(contacts, 0);
    });
  });
}

test('without the sandbox, the same code reaches all of it', { skip: hereAlso }, async () => {
  const chromium = await sandboxlessChromium();
  const id = isRoot ? ordinary : undefined;
  await using service = await start({ id, isContainer: true, environment: { CHROMIUM_PATH: chromium.path } });
  const outcomes = await attempt(service, reaches(service.pid, service.path));
  assert.deepEqual(
    outcomes.filter(([, outcome]) => outcome === 'ended' || outcome < 0),
    [],
  );
  assert.ok(contacts > 0);
  contacts = 0;
  await chromium.remove();
});

interface Service extends AsyncDisposable {
  pid: number;
  path: string;
  serving: ServeProcess;
  key: string;
}

async function start({
  id,
  isContainer,
  environment = {},
}: {
  id: number | undefined;
  isContainer: boolean;
  environment?: Record<string, string>;
}): Promise<Service> {
  const { path, remove } = await temporaryFolder();
  const launcher = writeLauncher(path, { id, isContainer });
  if (id !== undefined) execFileSync('chown', ['-R', `${id}:${id}`, path]);
  const file = join(path, 'owner');
  const serving = await serveUntilReady(
    {
      DATA_DIR: path,
      HOME: path,
      OWNER_FILE: file,
      OWNER_EMAIL: 'ada@example.com',
      LOG_LEVEL: 'error',
      ...environment,
    },
    [launcher, process.execPath, program, 'serve'],
  );
  const [key = ''] = /tt_\w{49}/.exec(await ownerFile(file)) ?? [];
  return {
    pid: serving.child.pid!,
    path,
    serving,
    key,
    async [Symbol.asyncDispose]() {
      await serving.end('SIGKILL');
      await remove();
    },
  };
}

const renderers = (pid: number): number[] =>
  descendants(pid).flatMap((row) => (row.command.includes('--type=renderer') ? [row.pid] : []));

/** Asks for a variant of a picture that nobody has seen yet. */
async function decode({ serving, key }: Service): Promise<number> {
  const { fileAt } = await uploadOne(serving.origin, key, { bytes: await png(64, 64) });
  const { status } = await fetch(`${fileAt}?width=32&format=webp`);
  return status;
}

/** The page that decodes: the one that works whenever a picture is decoded. It stays for the account's next picture. */
async function findDecoder(service: Service): Promise<number> {
  assert.equal(await decode(service), 200);
  const pids = renderers(service.pid);
  const looks = [pids.map(mainThreadMs)];
  for (let look = 0; look < 2; look += 1) {
    assert.equal(await decode(service), 200);
    looks.push(pids.map(mainThreadMs));
  }
  const [start = [], middle = [], end = []] = looks;
  const worked = pids.map((pid, index) => ({
    pid,
    ms: Math.min(middle[index]! - start[index]!, end[index]! - middle[index]!),
  }));
  return worked.toSorted((left, right) => right.ms - left.ms)[0]!.pid;
}

/** In as many decoders as it takes: a call may end the process, and the next ones are tried in another. */
async function attempt(service: Service, tries: Tries): Promise<[what: string, outcome: Outcome][]> {
  const outcomes: [string, Outcome][] = [];
  const names = Object.keys(tries);
  while (outcomes.length < names.length) {
    const left = names.slice(outcomes.length);
    const decoder = await findDecoder(service);
    let answered: Promise<unknown> | undefined;
    const got = await takeOver(
      decoder,
      left.map((name) => tries[name]!),
      () => {
        answered = decode(service).catch(() => {});
      },
    );
    outcomes.push(...got.map((outcome, index): [string, Outcome] => [left[index]!, outcome]));
    if (got.at(-1) !== 'ended') process.kill(decoder, 'SIGKILL');
    await answered;
  }
  return outcomes;
}

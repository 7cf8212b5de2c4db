// The code paths that hold a spool, a stream or a descriptor, each as one action of a client or an operator.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '#core/ids.ts';
import { backUp } from '#storage/backup.ts';
import { copyBlobs } from '#storage/copy-blobs.ts';
import { createDiskBlobs } from '#storage/disk-blobs.ts';
import { dashboardPath } from '#console/paths.ts';
import type { UploadResult } from '#api/v1/schemas.ts';
import * as images from '#test/support/images.ts';
import type { TestService } from '#test/support/service.ts';
import { signedInVisitor } from '#test/support/visitor.ts';
import type { Interruptions } from '#lab/prove/leaks/interruptions.ts';

export interface Scenario {
  name: string;
  run(): Promise<unknown>;
}

export interface Stage {
  scenarios: Scenario[];
  /** Ends every connection that a scenario has open. */
  leave(): Promise<void>;
}

type File = [bytes: Buffer, name: string];

/** More than a spool keeps in memory, so that there is a file. */
const sizeBytes = 400_000;

export async function setStage(
  service: TestService,
  interruptions: Interruptions,
  pageUrl: string,
): Promise<Stage> {
  const sockets = new Set<Socket>();
  const port = Number(new URL(service.origin).port);
  const picture = await images.pngOfSize(sizeBytes);
  const svg = images.svg(`<path d="${'M1 2L3 4 '.repeat(sizeBytes / 9)}"/>`);
  const { key } = await service.newKey({ plan: 'endless' });
  const { key: spentKey } = await service.newKey({ plan: 'spent' });
  const person = await signedInVisitor(service, { plan: 'endless' });
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');

  /** Sends requests on one connection and reads the whole response, or nothing; resolves to the first status. */
  async function exchange(
    requests: Buffer[],
    { reads = true } = {},
  ): Promise<{ status: number; body: string }> {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    sockets.add(socket);
    const chunks: Buffer[] = [];
    socket.setTimeout(60_000, () => socket.destroy());
    for (const request of requests) socket.write(request);
    if (reads) socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    else setTimeout(() => socket.destroy(), 100);
    await once(socket, 'close');
    sockets.delete(socket);
    const text = Buffer.concat(chunks).toString('latin1');
    return { status: Number(text.split(' ', 2)[1] ?? 0), body: text.slice(text.indexOf('\r\n\r\n') + 4) };
  }

  const request = (line: string, headers: Record<string, string> = {}, body = Buffer.alloc(0)): Buffer =>
    Buffer.concat([
      Buffer.from(
        `${line} HTTP/1.1\r\nHost: tintype.test\r\nContent-Length: ${body.length}\r\n${Object.entries(headers)
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join('')}\r\n`,
      ),
      body,
    ]);
  const closing = { connection: 'close' };
  const get = (path: string, headers: Record<string, string> = {}) =>
    exchange([request(`GET ${path}`, { ...closing, ...headers })]);

  const upload = (path: string, by: string, files: File[], headers: Record<string, string> = {}) => {
    const parts = files.flatMap(([bytes, name]) => [
      Buffer.from(`--XX\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`),
      bytes,
      Buffer.from('\r\n'),
    ]);
    const body = Buffer.concat([...parts, Buffer.from('--XX--\r\n')]);
    const more = {
      authorization: `Bearer ${by}`,
      'content-type': 'multipart/form-data; boundary=XX',
      ...headers,
    };
    return exchange([request(`POST ${path}`, { ...closing, ...more }, body)]);
  };
  const screenshot = (options: object, headers: Record<string, string> = {}) => {
    const body = Buffer.from(JSON.stringify({ url: pageUrl, width: 800, height: 600, ...options }));
    const more = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers };
    return exchange([request('POST /api/v1/screenshot', { ...closing, ...more }, body)]);
  };
  const storedBy = async (cookieHeader: string) => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(picture)]), 'a.png');
    const { body } = await person.call('POST /uploads', { form });
    return { ...(body as unknown as UploadResult), cookieHeader };
  };
  const stored = await storedBy(cookie);
  await storedBy(cookie);
  await storedBy(cookie);
  const replayKey = { 'idempotency-key': newId() };
  await screenshot({}, replayKey);
  const file = `/f/${stored.slug}`;

  const scenarios: Scenario[] = [
    // First, while there are few files.
    { name: 'backup', run: () => inFolder((folder) => backUpTo(folder)) },
    { name: 'copy of every file to another store', run: () => inFolder((folder) => copyTo(folder)) },
    { name: 'upload', run: () => upload('/api/v1/upload', key, [[picture, 'a.png']]) },
    { name: 'upload of an SVG', run: () => upload('/api/v1/upload', key, [[svg, 'a.svg']]) },
    { name: 'SVG over the quota', run: () => upload('/api/v1/upload', spentKey, [[svg, 'a.svg']]) },
    {
      name: 'batch with an Idempotency-Key',
      run: () =>
        upload(
          '/api/v1/upload/batch',
          key,
          [
            [picture, 'a.png'],
            [svg, 'b.svg'],
            [Buffer.from('no picture'), 'c.txt'],
          ],
          { 'idempotency-key': newId() },
        ),
    },
    { name: 'hosted screenshot', run: () => screenshot({ response: 'json' }) },
    { name: 'remembered screenshot', run: () => screenshot({}, { 'idempotency-key': newId() }) },
    { name: 'replayed screenshot', run: () => screenshot({}, replayKey) },
    { name: 'hosted file', run: () => get(file) },
    { name: 'part of a hosted file', run: () => get(file, { range: 'bytes=10-300000' }) },
    {
      name: 'hosted files asked for ahead on one connection, and not read',
      run: () =>
        exchange(
          Array.from({ length: 12 }, () => request(`GET ${file}`)),
          { reads: false },
        ),
    },
    {
      name: 'hosted files asked for ahead, and then garbage',
      run: () => exchange([request(`GET ${file}`), request(`GET ${file}`), Buffer.from('\0\r\n\r\n')]),
    },
    { name: 'thumbnail', run: () => get(`${dashboardPath}/uploads/${stored.id}/thumbnail`, { cookie }) },
    { name: 'export', run: () => get(`${dashboardPath}/export`, { cookie }) },
  ];

  function backUpTo(folder: string): Promise<unknown> {
    return backUp(service.config.dataDir, service.config.databaseFile, folder, () =>
      interruptions.reached('row written'),
    );
  }

  async function copyTo(folder: string): Promise<unknown> {
    const from = interruptions.wrapBlobs(await createDiskBlobs(join(service.config.blobsDir, 'uploads')));
    const to = interruptions.wrapBlobs(await createDiskBlobs(folder));
    return copyBlobs(
      from,
      to,
      () => undefined,
      () => {},
    );
  }

  return {
    scenarios,
    async leave() {
      const open = [...sockets];
      for (const socket of open) socket.destroy();
      await Promise.all(open.filter(({ closed }) => !closed).map((socket) => once(socket, 'close')));
    },
  };
}

async function inFolder(work: (folder: string) => Promise<unknown>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tintype-leaks-'));
  try {
    await work(folder).catch(() => {});
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// The cell: results, limits of time and memory, turns, and an event loop that is not blocked.
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { createCell, type Asker, type Cell } from '#cell/cell.ts';
import { CellBusy, Unreadable } from '#cell/work.ts';
import type { cleanFile } from '#uploads/clean-file.ts';
import type { ImageType } from '#uploads/image-types.ts';

const wrap = (body: string): Buffer => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${body}</svg>`);

interface SvgFile extends Asker {
  sizeBytes: number;
  read: () => Promise<Buffer>;
}

const fileOf = (bytes: Buffer, accountId = 'a'): SvgFile => ({
  accountId,
  sizeBytes: bytes.length,
  read: async () => Buffer.from(bytes),
});

const clean = (cell: Cell, type: ImageType, { sizeBytes, read, ...asker }: SvgFile) =>
  cell.inCell<typeof cleanFile>('cleanFile', { sizeBytes, read }, { type }, asker);

/** The SVG as it will be stored. */
async function sanitize(cell: Cell, file: SvgFile): Promise<Buffer> {
  const { bytes } = await clean(cell, 'image/svg+xml', file);
  assert.ok(bytes);
  return bytes;
}

const large = wrap('<path d="M0 0L1 1" style="fill:red;stroke:rgb(1,2,3)"/>'.repeat(40_000));

suite('4.1.2 the cell', () => {
  const cell = createCell();
  after(() => cell.close());

  test('returns each of many callers their own file', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, place) =>
        sanitize(cell, fileOf(wrap(`<g id="n${place}" onload="x"/>`), `account ${place % 3}`)),
      ),
    );
    answers.forEach((answer, place) =>
      assert.equal(answer.toString().trimEnd(), wrap(`<g id="n${place}"/>`).toString()),
    );
  });

  test('takes the files of forty batches of one account at once', async () => {
    const files = Array.from({ length: 400 }, () => sanitize(cell, fileOf(wrap('<g/>'))));
    assert.equal((await Promise.allSettled(files)).filter(({ status }) => status === 'rejected').length, 0);
  });

  test('reports what is wrong with a file', async () => {
    await assert.rejects(sanitize(cell, fileOf(wrap('<g>'))), {
      name: 'ServiceError',
      code: 'validation_error',
    });
    await assert.rejects(sanitize(cell, fileOf(Buffer.from('<p/>'))), {
      name: 'ServiceError',
      code: 'unsupported_type',
    });
  });

  test('does not block the event loop', async () => {
    let [turns, isDone] = [0, false];
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    count();
    await sanitize(cell, fileOf(large));
    isDone = true;
    assert.ok(turns > 100, `${turns} turns of the event loop`);
  });
});

test('4.1.2 a file that takes too much CPU time is refused, and the next one is sanitized', async () => {
  const cell = createCell({ threads: 1, cpuMs: 100 });
  const values = wrap(
    `<rect><animate attributeName="fill" values="${'rgb(1,2,3);'.repeat(400_000)}"/></rect>`,
  );
  try {
    const [slow, next] = await Promise.allSettled([
      sanitize(cell, fileOf(values)),
      sanitize(cell, fileOf(wrap('<g/>'))),
    ]);
    assert.equal(slow.status, 'rejected');
    assert.ok(slow.reason instanceof Unreadable);
    assert.equal(slow.reason.message, 'takes more than 0.1 s of CPU time');
    assert.equal(next.status, 'fulfilled');
  } finally {
    await cell.close();
  }
});

test('a file is not blamed when the machine gives the thread no CPU time', async () => {
  const cell = createCell({ threads: 1, clockMs: 1 });
  try {
    await assert.rejects(sanitize(cell, fileOf(large)), /cleanFile did not end within 1 ms/);
  } finally {
    await cell.close();
  }
});

test('no account holds every thread, and a file that waits is not read', async () => {
  const cell = createCell({ threads: 2 });
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  let reads = 0;
  const slow = (): SvgFile => ({
    accountId: 'busy',
    sizeBytes: 1,
    async read() {
      reads += 1;
      await gate;
      return wrap('<g/>');
    },
  });
  try {
    const busy = Array.from({ length: 10 }, () => sanitize(cell, slow()));
    await sanitize(cell, fileOf(wrap('<g/>'), 'quiet'));
    assert.equal(reads, 1);
    open();
    await Promise.all(busy);
    assert.equal(reads, 10);
  } finally {
    await cell.close();
  }
});

test('an account with too many waiting files or bytes is refused; others are not', async () => {
  const cell = createCell({ threads: 2, maxWaiting: 4, maxWaitingBytes: 1_800 });
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const held = (accountId: string, sizeBytes: number): SvgFile => ({
    accountId,
    sizeBytes,
    read: async () => gate.then(() => wrap('<g/>')),
  });
  try {
    const waiting = [1, 2, 3, 4].map((network) =>
      sanitize(cell, { ...held('many', 1), networks: [`network ${network}`] }),
    );
    await assert.rejects(sanitize(cell, { ...held('many', 1), networks: ['another'] }), CellBusy);
    const large = [1, 2].map(() => sanitize(cell, held('large', 900)));
    await assert.rejects(sanitize(cell, held('large', 900)), /too many files of this account are waiting/);
    open();
    await Promise.all([...waiting, ...large, sanitize(cell, held('quiet', 1))]);
  } finally {
    await cell.close();
  }
});

test('closing rejects running and waiting files', async () => {
  const cell = createCell({ threads: 1 });
  const answers = Promise.allSettled([sanitize(cell, fileOf(large)), sanitize(cell, fileOf(large))]);
  await cell.close();
  assert.deepEqual(
    (await answers).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  await assert.rejects(sanitize(cell, fileOf(large)), /closed/);
});

suite('v2 3 a file whose request has gone', () => {
  const gone = new Error('the client has gone');

  test('leaves the line unread', async () => {
    const cell = createCell({ threads: 1 });
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const request = new AbortController();
    let reads = 0;
    try {
      const first = sanitize(cell, { ...fileOf(wrap('<g/>')), read: () => gate.then(() => wrap('<g/>')) });
      const waiting = sanitize(cell, {
        ...fileOf(wrap('<g/>')),
        async read() {
          reads += 1;
          return wrap('<g/>');
        },
        signal: request.signal,
      });
      request.abort(gone);
      await assert.rejects(waiting, gone);
      open();
      await first;
      assert.equal(reads, 0);
    } finally {
      await cell.close();
    }
  });

  test('is not worked on any longer, and the next one is', async () => {
    const cell = createCell({ threads: 1 });
    const request = new AbortController();
    try {
      const asked = sanitize(cell, {
        ...fileOf(large),
        async read() {
          setImmediate(() => request.abort(gone));
          return Buffer.from(large);
        },
        signal: request.signal,
      });
      const next = sanitize(cell, fileOf(wrap('<g/>')));
      await assert.rejects(asked, gone);
      await next;
    } finally {
      await cell.close();
    }
  });
});

test('the networks of the clients of one account take turns', async () => {
  const cell = createCell({ threads: 1 });
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const order: string[] = [];
  const sendFrom = (network: string) =>
    sanitize(cell, {
      ...fileOf(wrap('<g/>')),
      networks: [network],
      read: async () => {
        order.push(network);
        await gate;
        return wrap('<g/>');
      },
    });
  try {
    const sent = ['many', 'many', 'many', 'many', 'one'].map(sendFrom);
    open();
    await Promise.all(sent);
    assert.deepEqual(order, ['many', 'many', 'one', 'many', 'many']);
  } finally {
    await cell.close();
  }
});

test('what the cell cannot do is an error, and not the end of the thread', async () => {
  const cell = createCell({ threads: 1 });
  const none = { sizeBytes: 0, read: async () => Buffer.alloc(0) };
  try {
    const unknown = cell.inCell<typeof cleanFile>('cook', none, { type: 'image/png' }, { accountId: 'a' });
    await assert.rejects(unknown, /no work called cook/);
    await sanitize(cell, fileOf(wrap('<g/>')));
  } finally {
    await cell.close();
  }
});

test('v2 3 the metadata of pictures is removed in the same threads, and the event loop is free meanwhile', async () => {
  const cell = createCell();
  const scan = Buffer.concat([
    Buffer.from('\xff\xd8\xff\xfe\0\x09planted', 'latin1'),
    Buffer.from('ffda000c03010002110311003f00', 'hex'),
    Buffer.alloc(10_000_000, Buffer.from('ff00', 'hex')),
  ]);
  let [turns, isDone] = [0, false];
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  try {
    count();
    const { bytes, facts } = await clean(cell, 'image/jpeg', fileOf(scan));
    isDone = true;
    assert.deepEqual([bytes?.length, facts.removed], [scan.length - 11, ['text']]);
    const again = await clean(cell, 'image/jpeg', fileOf(bytes!));
    assert.deepEqual([again.bytes, again.facts.removed], [undefined, []]);
    assert.ok(turns > 100, `${turns} turns of the event loop`);
    const broken = clean(cell, 'image/jpeg', fileOf(Buffer.from('ffd8ffe0', 'hex')));
    await assert.rejects(broken, Unreadable);
  } finally {
    await cell.close();
  }
});

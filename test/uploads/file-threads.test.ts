// The threads that clean files: results, time and memory limits, and an event loop that is not blocked.
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { createFileThreads, type FileThreads } from '#uploads/file-threads.ts';
import { UnreadablePicture } from '#uploads/metadata/cleaning.ts';

const wrap = (body: string): Buffer => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${body}</svg>`);

interface SvgFile {
  accountId: string;
  sizeBytes: number;
  read: () => Promise<Buffer>;
  signal?: AbortSignal;
}

const fileOf = (bytes: Buffer, accountId = 'a'): SvgFile => ({
  accountId,
  sizeBytes: bytes.length,
  read: async () => bytes,
});

/** The SVG as it will be stored. */
function sanitize(threads: FileThreads, { accountId, read, ...options }: SvgFile): Promise<Buffer> {
  return threads.run(accountId, options, async (clean) => {
    const { bytes } = await clean('image/svg+xml', await read());
    assert.ok(bytes);
    return bytes;
  });
}

const large = wrap('<path d="M0 0L1 1" style="fill:red;stroke:rgb(1,2,3)"/>'.repeat(40_000));

suite('4.1.2 the threads that clean files', () => {
  const threads = createFileThreads();
  after(() => threads.close());

  test('returns each of many callers their own file', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, place) =>
        sanitize(threads, fileOf(wrap(`<g id="n${place}" onload="x"/>`), `account ${place % 3}`)),
      ),
    );
    answers.forEach((answer, place) =>
      assert.equal(answer.toString().trimEnd(), wrap(`<g id="n${place}"/>`).toString()),
    );
  });

  test('takes the files of forty batches of one account at once', async () => {
    const files = Array.from({ length: 400 }, () => sanitize(threads, fileOf(wrap('<g/>'))));
    assert.equal((await Promise.allSettled(files)).filter(({ status }) => status === 'rejected').length, 0);
  });

  test("does not change the caller's bytes", async () => {
    const bytes = wrap('<g/>');
    await sanitize(threads, fileOf(bytes));
    assert.equal(bytes.toString(), wrap('<g/>').toString());
  });

  test('reports what is wrong with a file', async () => {
    await assert.rejects(sanitize(threads, fileOf(wrap('<g>'))), {
      name: 'ServiceError',
      code: 'validation_error',
    });
    await assert.rejects(sanitize(threads, fileOf(Buffer.from('<p/>'))), {
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
    await sanitize(threads, fileOf(large));
    isDone = true;
    assert.ok(turns > 100, `${turns} turns of the event loop`);
  });
});

test('4.1.2 a file that takes too much CPU time is refused, and the next one is sanitized', async () => {
  const threads = createFileThreads({ workers: 1, cpuMs: 100 });
  const values = wrap(
    `<rect><animate attributeName="fill" values="${'rgb(1,2,3);'.repeat(400_000)}"/></rect>`,
  );
  try {
    const [slow, next] = await Promise.allSettled([
      sanitize(threads, fileOf(values)),
      sanitize(threads, fileOf(wrap('<g/>'))),
    ]);
    assert.equal(slow.status, 'rejected');
    assert.ok(slow.reason instanceof UnreadablePicture);
    assert.equal(slow.reason.message, 'takes more than 0.1 s of CPU time');
    assert.equal(next.status, 'fulfilled');
  } finally {
    await threads.close();
  }
});

test('a file is not blamed when the machine gives the thread no CPU time', async () => {
  const threads = createFileThreads({ workers: 1, clockMs: 1 });
  try {
    await assert.rejects(sanitize(threads, fileOf(large)), /not cleaned within 1 ms/);
  } finally {
    await threads.close();
  }
});

test('no account holds every thread, and a file that waits is not read', async () => {
  const threads = createFileThreads({ workers: 2 });
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
    const busy = Array.from({ length: 10 }, () => sanitize(threads, slow()));
    await sanitize(threads, fileOf(wrap('<g/>'), 'quiet'));
    assert.equal(reads, 1);
    open();
    await Promise.all(busy);
    assert.equal(reads, 10);
  } finally {
    await threads.close();
  }
});

test('an account with too many waiting files or bytes gets a retryable error; others do not', async () => {
  const threads = createFileThreads({ workers: 2, maxWaiting: 3, maxWaitingBytes: 1_000 });
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const held = (accountId: string, sizeBytes: number): SvgFile => ({
    accountId,
    sizeBytes,
    read: async () => gate.then(() => wrap('<g/>')),
  });
  try {
    const waiting = [1, 2, 3, 4].map(() => sanitize(threads, held('many', 1)));
    await assert.rejects(sanitize(threads, held('many', 1)), {
      code: 'internal',
      message: /^file: too many files/,
    });
    const large = [1, 2].map(() => sanitize(threads, held('large', 900)));
    await assert.rejects(sanitize(threads, held('large', 900)), {
      code: 'internal',
      message: /please retry/,
    });
    open();
    await Promise.all([...waiting, ...large, sanitize(threads, held('quiet', 1))]);
  } finally {
    await threads.close();
  }
});

test('closing rejects running and waiting files', async () => {
  const threads = createFileThreads({ workers: 1 });
  const answers = Promise.allSettled([sanitize(threads, fileOf(large)), sanitize(threads, fileOf(large))]);
  await threads.close();
  assert.deepEqual(
    (await answers).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  await assert.rejects(sanitize(threads, fileOf(large)), /closed/);
});

suite('v2 3 a file whose request has gone', () => {
  const gone = new Error('the client has gone');

  test('leaves the line unread', async () => {
    const threads = createFileThreads({ workers: 1 });
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const request = new AbortController();
    let reads = 0;
    try {
      const first = sanitize(threads, { ...fileOf(wrap('<g/>')), read: () => gate.then(() => wrap('<g/>')) });
      const waiting = sanitize(threads, {
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
      await threads.close();
    }
  });

  test('is not worked on any longer, and the next one is', async () => {
    const threads = createFileThreads({ workers: 1 });
    const request = new AbortController();
    try {
      let isNextDone = false;
      const asked = threads.run('a', { sizeBytes: 1, signal: request.signal }, async (clean) => {
        const job = clean('image/svg+xml', large);
        setImmediate(() => request.abort(gone));
        await assert.rejects(job, gone);
        assert.equal(isNextDone, false);
        return clean('image/svg+xml', wrap('<g/>'));
      });
      const next = sanitize(threads, fileOf(wrap('<g/>'))).then(() => (isNextDone = true));
      await assert.rejects(asked, gone);
      await next;
    } finally {
      await threads.close();
    }
  });
});

test('v2 3 the metadata of pictures is removed in the same threads, and the event loop is free meanwhile', async () => {
  const threads = createFileThreads();
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
    await threads.run('a', { sizeBytes: scan.length }, async (clean) => {
      count();
      const { bytes, found } = await clean('image/jpeg', scan);
      assert.deepEqual([bytes?.length, found], [scan.length - 11, ['text']]);
      assert.deepEqual(await clean('image/jpeg', bytes!), { bytes: undefined, found: [] });
    });
    isDone = true;
    assert.ok(turns > 100, `${turns} turns of the event loop`);
    const broken = threads.run('a', { sizeBytes: 4 }, (clean) =>
      clean('image/jpeg', Buffer.from('ffd8ffe0', 'hex')),
    );
    await assert.rejects(broken, (error) => error instanceof UnreadablePicture);
  } finally {
    await threads.close();
  }
});

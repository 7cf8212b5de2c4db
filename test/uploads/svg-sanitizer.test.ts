// The sanitizer's threads: results, time and memory limits, and an event loop that is not blocked.
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { createSvgSanitizer, type SvgFile } from '#uploads/svg-sanitizer.ts';

const wrap = (body: string): Buffer => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${body}</svg>`);
const fileOf = (bytes: Buffer, accountId = 'a'): SvgFile => ({
  accountId,
  sizeBytes: bytes.length,
  read: async () => bytes,
});
const large = wrap('<path d="M0 0L1 1" style="fill:red;stroke:rgb(1,2,3)"/>'.repeat(40_000));

suite('4.1.2 the sanitizer', () => {
  const sanitizer = createSvgSanitizer();
  after(() => sanitizer.close());

  test('returns each of many callers their own file', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, place) =>
        sanitizer.sanitize(fileOf(wrap(`<g id="n${place}" onload="x"/>`), `account ${place % 3}`)),
      ),
    );
    answers.forEach((answer, place) =>
      assert.equal(answer.toString().trimEnd(), wrap(`<g id="n${place}"/>`).toString()),
    );
  });

  test('takes the files of forty batches of one account at once', async () => {
    const files = Array.from({ length: 400 }, () => sanitizer.sanitize(fileOf(wrap('<g/>'))));
    assert.equal((await Promise.allSettled(files)).filter(({ status }) => status === 'rejected').length, 0);
  });

  test("does not change the caller's bytes", async () => {
    const bytes = wrap('<g/>');
    await sanitizer.sanitize(fileOf(bytes));
    assert.equal(bytes.toString(), wrap('<g/>').toString());
  });

  test('reports what is wrong with a file', async () => {
    await assert.rejects(sanitizer.sanitize(fileOf(wrap('<g>'))), {
      name: 'ServiceError',
      code: 'validation_error',
    });
    await assert.rejects(sanitizer.sanitize(fileOf(Buffer.from('<p/>'))), {
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
    await sanitizer.sanitize(fileOf(large));
    isDone = true;
    assert.ok(turns > 100, `${turns} turns of the event loop`);
  });
});

test('4.1.2 a file that takes too much CPU time is refused, and the next one is sanitized', async () => {
  const sanitizer = createSvgSanitizer({ workers: 1, cpuMs: 100 });
  const values = wrap(
    `<rect><animate attributeName="fill" values="${'rgb(1,2,3);'.repeat(400_000)}"/></rect>`,
  );
  try {
    const [slow, next] = await Promise.allSettled([
      sanitizer.sanitize(fileOf(values)),
      sanitizer.sanitize(fileOf(wrap('<g/>'))),
    ]);
    assert.equal(slow.status, 'rejected');
    assert.equal(slow.reason.code, 'validation_error');
    assert.equal(slow.reason.message, 'file: the SVG takes more than 0.1 s of CPU time to sanitize');
    assert.equal(next.status, 'fulfilled');
  } finally {
    await sanitizer.close();
  }
});

test('a file is not blamed when the machine gives the thread no CPU time', async () => {
  const sanitizer = createSvgSanitizer({ workers: 1, clockMs: 1 });
  try {
    await assert.rejects(sanitizer.sanitize(fileOf(large)), /not sanitized within 1 ms/);
  } finally {
    await sanitizer.close();
  }
});

test('no account holds every thread, and a file that waits is not read', async () => {
  const sanitizer = createSvgSanitizer({ workers: 2 });
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
    const busy = Array.from({ length: 10 }, () => sanitizer.sanitize(slow()));
    await sanitizer.sanitize(fileOf(wrap('<g/>'), 'quiet'));
    assert.equal(reads, 1);
    open();
    await Promise.all(busy);
    assert.equal(reads, 10);
  } finally {
    await sanitizer.close();
  }
});

test('an account with too many waiting files or bytes gets a retryable error; others do not', async () => {
  const sanitizer = createSvgSanitizer({ workers: 2, maxWaiting: 3, maxWaitingBytes: 1_000 });
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const held = (accountId: string, sizeBytes: number): SvgFile => ({
    accountId,
    sizeBytes,
    read: async () => gate.then(() => wrap('<g/>')),
  });
  try {
    const waiting = [1, 2, 3, 4].map(() => sanitizer.sanitize(held('many', 1)));
    await assert.rejects(sanitizer.sanitize(held('many', 1)), {
      code: 'internal',
      message: /^file: too many SVGs/,
    });
    const large = [1, 2].map(() => sanitizer.sanitize(held('large', 900)));
    await assert.rejects(sanitizer.sanitize(held('large', 900)), {
      code: 'internal',
      message: /please retry/,
    });
    open();
    await Promise.all([...waiting, ...large, sanitizer.sanitize(held('quiet', 1))]);
  } finally {
    await sanitizer.close();
  }
});

test('closing rejects running and waiting files', async () => {
  const sanitizer = createSvgSanitizer({ workers: 1 });
  const answers = Promise.allSettled([sanitizer.sanitize(fileOf(large)), sanitizer.sanitize(fileOf(large))]);
  await sanitizer.close();
  assert.deepEqual(
    (await answers).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  await assert.rejects(sanitizer.sanitize(fileOf(large)), /closed/);
});

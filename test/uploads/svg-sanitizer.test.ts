// The sanitizer's threads: answers, time and memory limits, and an event loop that runs on.
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { createSvgSanitizer } from '#uploads/svg-sanitizer.ts';

const wrap = (body: string): Buffer => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${body}</svg>`);
const large = wrap('<path d="M0 0L1 1" style="fill:red;stroke:rgb(1,2,3)"/>'.repeat(40_000));

suite('4.1.2 the sanitizer', () => {
  const sanitizer = createSvgSanitizer();
  after(() => sanitizer.close());

  test('answers each of many callers with their own file', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, place) => sanitizer.sanitize(wrap(`<g id="n${place}" onload="x"/>`))),
    );
    answers.forEach((answer, place) =>
      assert.equal(answer.toString().trimEnd(), wrap(`<g id="n${place}"/>`).toString()),
    );
  });

  test('leaves the bytes of the caller alone', async () => {
    const bytes = wrap('<g/>');
    await sanitizer.sanitize(bytes);
    assert.equal(bytes.toString(), wrap('<g/>').toString());
  });

  test('passes on what is wrong with a file', async () => {
    await assert.rejects(sanitizer.sanitize(wrap('<g>')), { name: 'ServiceError', code: 'validation_error' });
    await assert.rejects(sanitizer.sanitize(Buffer.from('<p/>')), {
      name: 'ServiceError',
      code: 'unsupported_type',
    });
  });

  test('works beside the event loop', async () => {
    let [turns, isDone] = [0, false];
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    count();
    await sanitizer.sanitize(large);
    isDone = true;
    assert.ok(turns > 100, `${turns} turns of the event loop`);
  });
});

test('4.1.2 a file that takes too long is refused, and the next one served', async () => {
  const sanitizer = createSvgSanitizer({ workers: 1, timeoutMs: 40 });
  try {
    const [slow, next] = await Promise.allSettled([sanitizer.sanitize(large), waitUntilWarm()]);
    assert.equal(slow.status, 'rejected');
    assert.equal(slow.reason.code, 'validation_error');
    assert.equal(slow.reason.message, 'file: the SVG takes too long to sanitize');
    assert.equal(next.status, 'fulfilled');
  } finally {
    await sanitizer.close();
  }

  /** A thread that has only just been started may itself need longer than this short limit. */
  async function waitUntilWarm(): Promise<void> {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const [answer] = await Promise.allSettled([sanitizer.sanitize(wrap('<g/>'))]);
      if (answer.status === 'fulfilled') return;
    }
    throw new Error('no small file was ever sanitized');
  }
});

test('closing refuses what is under way and what waits', async () => {
  const sanitizer = createSvgSanitizer({ workers: 1 });
  const answers = Promise.allSettled([sanitizer.sanitize(large), sanitizer.sanitize(large)]);
  await sanitizer.close();
  assert.deepEqual(
    (await answers).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  await assert.rejects(sanitizer.sanitize(large), /closed/);
});

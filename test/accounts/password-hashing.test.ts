// Passwords are hashed one at a time, and a client or a network that sends many waits only for its own.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestClock } from '#test/support/clock.ts';
import { createPasswordHashing, scryptPasswords } from '#accounts/password-hashing.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { createVisitor, password, signedInVisitor } from '#test/support/visitor.ts';

let service: TestService;
before(async () => {
  service = await startService({}, 0, undefined, { passwordScheme: scryptPasswords });
});
after(() => service.stop());

test('clients take turns, and a full queue refuses only its own client', async () => {
  const { inLineOf, hash, verify } = createPasswordHashing({ clock: createTestClock(), maxWaiting: 5 });
  const order: string[] = [];
  const flood = Array.from({ length: 8 }, () =>
    inLineOf(['flood'], () => hash('a password')).then(
      () => order.push('flood'),
      (error: { code: string; retryAfterSeconds: number }) => {
        assert.deepEqual([error.code, error.retryAfterSeconds], ['rate_limited', 5]);
        order.push('refused');
      },
    ),
  );
  const stored = await inLineOf(['other'], () => hash('another password'));
  order.push('other');
  assert.ok(await inLineOf(['other'], () => verify({ hash: stored, password: 'another password' })));
  assert.ok(!(await inLineOf(['other'], () => verify({ hash: stored, password: 'a password' }))));
  await Promise.all(flood);
  assert.equal(order.filter((who) => who === 'refused').length, 2);
  assert.ok(order.indexOf('other') < order.lastIndexOf('flood'), order.join(', '));
});

test('sign-ins beyond the queue are 429 rate_limited with Retry-After, and no others fail', async () => {
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      fetch(`${service.origin}/api/dashboard/sign-in`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: service.origin },
        body: JSON.stringify({ email: `nobody${index}@example.com`, password: 'a wrong password' }),
      }),
    ),
  );
  const refused = answers.filter(({ status }) => status === 429);
  assert.ok(refused.length > 0, 'all waited');
  assert.ok(refused.length < answers.length, 'none was served');
  assert.ok(answers.every(({ status }) => status === 401 || status === 429));
  for (const answer of refused) {
    assert.equal(answer.headers.get('retry-after'), '5');
    assert.equal(((await answer.json()) as { error: { code: string } }).error.code, 'rate_limited');
  }
});

test('a network with many addresses delays only its own sign-ins', async () => {
  const behindProxy = await startService({ TRUST_PROXY: 'true' }, 0, undefined, {
    passwordScheme: scryptPasswords,
  });
  try {
    const person = await signedInVisitor(behindProxy);
    const signIn = (address: string, email: string, given: string) =>
      createVisitor(behindProxy, { 'x-forwarded-for': address }).call('POST /sign-in', {
        body: { email, password: given },
      });
    let answered = 0;
    const flood = Array.from({ length: 40 }, async (_, index) => {
      // Each from another /64 of one /48.
      const address = `2001:db8:7:${index.toString(16)}::1`;
      const { status } = await signIn(address, `nobody${index}@example.com`, 'a wrong password');
      answered += 1;
      return status;
    });
    await Promise.race(flood);
    const before = answered;
    const { status } = await signIn('2001:db8:8::1', person.email, password);
    assert.equal(status, 200);
    assert.ok(answered - before < 20, `${answered - before} sign-ins of the network came first`);
    await Promise.all(flood);
  } finally {
    await behindProxy.stop();
  }
});

test('a scheme that a test gives its service hashes and compares the passwords of that service', async () => {
  const called: string[] = [];
  const other = await startService({}, 0, undefined, {
    passwordScheme: {
      async hash(given) {
        called.push('hash');
        return `kept ${given}`;
      },
      async verify(given) {
        called.push('verify');
        return given.hash === `kept ${given.password}`;
      },
    },
  });
  try {
    const { email } = await signedInVisitor(other);
    await createVisitor(other).call('POST /sign-in', { body: { email, password } });
    assert.deepEqual(new Set(called), new Set(['hash', 'verify']));
  } finally {
    await other.stop();
  }
});

// Passwords are hashed one at a time, and a client or a network that sends many waits only for its own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '#test/support/clock.ts';
import { createPasswordHashing } from '#accounts/password-hashing.ts';
import { startService } from '#test/support/service.ts';
import { createVisitor, password, signedInVisitor } from '#test/support/visitor.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Costs nothing. While it is held, every hash and comparison waits for its turn in `next`. */
function heldPasswords() {
  const waiting: (() => void)[] = [];
  let isHeld = false;
  const turn = () => (isHeld ? new Promise<void>((resolve) => waiting.push(resolve)) : undefined);
  return {
    scheme: {
      async hash(given: string) {
        await turn();
        return `kept ${given}`;
      },
      async verify(given: { hash: string; password: string }) {
        await turn();
        return given.hash === `kept ${given.password}`;
      },
    },
    hold(): void {
      isHeld = true;
    },
    isBusy: () => waiting.length > 0,
    next: () => waiting.shift()?.(),
    release(): void {
      isHeld = false;
      for (const proceed of waiting.splice(0)) proceed();
    },
  };
}

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

test('sign-ins beyond the queue are 429 rate_limited with Retry-After, and no others fail', async (context) => {
  const passwords = heldPasswords();
  const service = await startService({}, 0, undefined, { passwordScheme: passwords.scheme });
  context.after(service.stop);
  passwords.hold();
  const refused: Response[] = [];
  const answers = Array.from({ length: 30 }, async (_, index) => {
    const answer = await fetch(`${service.origin}/api/dashboard/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: service.origin },
      body: JSON.stringify({ email: `nobody${index}@example.com`, password: 'a wrong password' }),
    });
    if (answer.status === 429) refused.push(answer);
    return answer.status;
  });
  await waitFor('a refusal', () => refused.length > 0);
  passwords.release();
  const statuses = await Promise.all(answers);
  assert.ok(refused.length < statuses.length, 'none was served');
  assert.deepEqual(new Set(statuses), new Set([401, 429]));
  for (const answer of refused) {
    assert.equal(answer.headers.get('retry-after'), '5');
    assert.equal(((await answer.json()) as { error: { code: string } }).error.code, 'rate_limited');
  }
});

test('a network with many addresses delays only its own sign-ins', async (context) => {
  const passwords = heldPasswords();
  const service = await startService({ TRUST_PROXY: 'true' }, 0, undefined, {
    passwordScheme: passwords.scheme,
  });
  context.after(service.stop);
  const person = await signedInVisitor(service);
  passwords.hold();
  const signIn = (address: string, email: string, given: string) =>
    createVisitor(service, { 'x-forwarded-for': address }).call('POST /sign-in', {
      body: { email, password: given },
    });
  const flood = Array.from({ length: 40 }, (_, index) =>
    // Each from another /64 of one /48.
    signIn(`2001:db8:7:${index.toString(16)}::1`, `nobody${index}@example.com`, 'a wrong password'),
  );
  await waitFor('the first sign-in of the network', passwords.isBusy);
  let status: number | undefined;
  const signedIn = signIn('2001:db8:8::1', person.email, password).then((answer) => (status = answer.status));
  let turns = 0;
  while (status === undefined && turns < flood.length) {
    if (passwords.isBusy()) turns += 1;
    passwords.next();
    // So that what has been sent arrives.
    await fetch(`${service.origin}/healthz`);
  }
  passwords.release();
  assert.equal(await signedIn, 200);
  // In one line it would have waited for all of them. How soon it is in its own line depends on the machine.
  assert.ok(turns < flood.length, `${turns} turns`);
  await Promise.all(flood);
});

// tt shots of many real pages against a real service: it finishes, goes on after a kill, and keeps the account's cap.
import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { createCommandLine, type CommandLine } from './tt.ts';

export function testShots(pageCount: number): void {
  const killedAfter = Math.floor(pageCount * 0.3);
  const cap = 3;
  let service: TestService;
  let site: PageServer;
  let line: CommandLine;
  let account: { key: string; accountId: string };
  /** Pages whose document was asked for and is not yet answered: each is a render in progress. */
  let open = 0;
  let peak = 0;

  before(async () => {
    site = await startPageServer();
    for (let index = 0; index < pageCount; index += 1) {
      site.route(`/page/${index}`, (_request, response) => {
        open += 1;
        peak = Math.max(peak, open);
        response.once('close', () => (open -= 1));
        response.setHeader('content-type', 'text/html');
        setTimeout(() => response.end(`<!doctype html><h1>Page ${index}</h1>`), 20);
      });
    }
    line = await createCommandLine(undefined);
    const plans = join(line.folder, 'plans.json');
    const plan = {
      id: 'three',
      name: 'Three',
      uploads_per_month: 10,
      renders_per_month: 1000,
      requests_per_minute: 10_000,
      concurrent_renders: cap,
      overages: false,
      paid: true,
      max_link_seconds: null,
    };
    await writeFile(plans, JSON.stringify({ plans: [plan] }));
    service = await startService({ EGRESS_ALLOW: site.host, PLANS_FILE: plans, RENDER_CONCURRENCY: '6' });
    account = await service.newKey({ plan: 'three' });
    Object.assign(line.environment, { TINTYPE_URL: service.origin, TINTYPE_API_KEY: account.key });
    const urls = Array.from({ length: pageCount }, (_, index) => `${site.base}/page/${index}`);
    await writeFile(join(line.folder, 'urls.txt'), ['# pages', ...urls, '', urls[0]].join('\r\n'));
  });
  after(async () => {
    await line.remove();
    await service.stop();
    await site.close();
  });

  const args = ['shots', '-f', 'urls.txt', '-o', 'shots', '--width', '400', '--height', '320'];

  test(`${pageCount} pages: killed in the middle, gone on with, each metered once, never more at a time than the cap`, async () => {
    const { child, ended } = line.start(args);
    let printed = 0;
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString().split('\n').length - 1;
      if (printed >= killedAfter) child.kill('SIGKILL');
    });
    await ended;
    assert.equal(child.signalCode, 'SIGKILL');
    const before = await pictures();
    assert.ok(
      before.length >= killedAfter && before.length < pageCount,
      `${before.length} pictures after the kill`,
    );
    assert.ok((await readdir(join(line.folder, 'shots'))).includes('.tt-run'));

    const { code, stdout, stderr } = await line.tt([...args, '--json']);
    assert.equal(code, 0, stderr);
    const told = stdout
      .toString()
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text) as { status: string });
    const statuses = Map.groupBy(told, ({ status }) => status);
    assert.deepEqual([told.length, statuses.get('present')?.length], [pageCount, before.length]);
    assert.match(
      stderr,
      new RegExp(
        `^tt: ${pageCount} URLs: ${pageCount - before.length} captured in [\\d.]+ s, ${before.length} there before, 0 failed\n$`,
      ),
    );
    assert.equal((await pictures()).length, pageCount);
    assert.deepEqual(
      (await readdir(join(line.folder, 'shots'))).filter((name) => /\.part$|^\.tt/.test(name)),
      [],
    );

    assert.ok(peak <= cap, `${peak} renders at a time`);
    const month = new Date().toISOString().slice(0, 7);
    const { used } = await service.database.tables.usage.read({
      accountId: account.accountId,
      unit: 'render',
      month,
    });
    assert.equal(used, pageCount);
    const refusals = service.logLines().filter(({ code: reason }) => reason === 'concurrency_limited').length;
    assert.ok(refusals <= 20, `${refusals} refusals`);
    process.stdout.write(
      `# ${before.length} before the kill; peak ${peak} of ${cap}; ${refusals} refusals; ${/captured in [\d.]+ s/.exec(stderr)?.[0]}\n`,
    );

    const again = await line.tt(args);
    assert.deepEqual([again.code, again.stdout.toString().trimEnd().split('\n').length], [0, pageCount]);
    assert.match(again.stderr, new RegExp(`0 captured .* ${pageCount} there before`));
  });

  test('what fails is told, and the rest is done: exit 9; Ctrl-C ends with a summary: exit 130', async () => {
    await writeFile(join(line.folder, 'some.txt'), `${site.base}/page/1\nhttp://10.0.0.1/\n`);
    const mixed = await line.tt(['shots', '-f', 'some.txt', '-o', 'some', '--format', 'webp']);
    assert.equal(mixed.code, 9);
    assert.match(mixed.stdout.toString(), /^some\/127\.0\.0\.1-\d+-page-1-[0-9a-f]{8}\.webp\n$/);
    assert.match(
      mixed.stderr,
      /http:\/\/10\.0\.0\.1\/: .*validation_error[^]*2 URLs: 1 captured .* 1 failed\n$/,
    );

    const asked = Promise.withResolvers<void>();
    const hanging = site.route('/hanging', () => asked.resolve());
    await writeFile(join(line.folder, 'hang.txt'), hanging);
    const { child, ended } = line.start(['shots', '-f', 'hang.txt', '-o', 'hang']);
    await asked.promise;
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    assert.equal(code, 130);
    assert.match(stderr, /1 URLs: 0 captured .* 1 left\n$/);
  });

  async function pictures(): Promise<string[]> {
    const names = (await readdir(join(line.folder, 'shots'))).filter((name) => name.endsWith('.png'));
    for (const name of names) {
      const bytes = await readFile(join(line.folder, 'shots', name));
      assert.equal(bytes.subarray(-8, -4).toString(), 'IEND', `${name} is not whole`);
    }
    return names;
  }
}

// npx tintype browser renew beside a service that renders: what the command says, and that the service takes the new browser without a restart.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { releaseOf } from '#browser/install/releases.ts';
import { openBrowser } from '#roof/engines.ts';
import { startDownloadHost, type DownloadHost } from '#test/support/download-host.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { tintype } from '#test/support/processes.ts';
import { bearer } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { openFolder } from './fetch-kit.ts';

const newVersion = '999.0.1.2';
const cache = openFolder();
let host: DownloadHost;
let pages: PageServer;
let service: TestService;
let environment: Record<string, string>;

before(async () => {
  host = await startDownloadHost({ version: newVersion });
  host.mode = 'none';
  pages = await startPageServer({ '/page': '<!doctype html><p>page' });
  // CHROMIUM_PATH would be the only browser.
  environment = { CACHE_DIR: cache.path, CHROMIUM_PATH: '', ...host.environment };
  service = await startService({ ...environment, EGRESS_ALLOW: pages.host }, 0, undefined, { openBrowser });
});
after(async () => {
  await service.stop();
  await pages.close();
  await host[Symbol.asyncDispose]();
  cache[Symbol.dispose]();
});

async function shoot(path: string): Promise<number> {
  const { key } = await service.newKey();
  const headers = { ...bearer(key), 'content-type': 'application/json' };
  const body = JSON.stringify({ url: `${pages.base}${path}` });
  const response = await fetch(`${service.origin}/api/v1/screenshot`, { method: 'POST', body, headers });
  await response.arrayBuffer();
  return response.status;
}

const released = async (): Promise<string | undefined> => {
  const text = await (await fetch(`${service.origin}/metrics`)).text();
  return /^tintype_browser_release_timestamp_seconds\{.*$/m.exec(text)?.[0];
};
const line = (version: string) =>
  `tintype_browser_release_timestamp_seconds{version="${version}"} ${releaseOf(version).getTime() / 1000}`;

test('a download that fails: the command says so and exits 1, and the present browser stays', async () => {
  const { code, stdout, stderr } = await tintype(['browser', 'renew', '--json'], environment);
  const { renewed, problem } = JSON.parse(stdout) as { renewed: boolean; problem: string };
  assert.deepEqual([code, renewed], [1, false]);
  assert.match(problem, /Playwright's download: .*404/);
  assert.match(stderr, /no browser was renewed, and the present one stays: Playwright's download: .*404/);
});

test('a newer browser is taken by the service beside a render that runs, within a minute and without a restart', async () => {
  host.mode = 'whole';
  const present = /version="(.*)"/.exec((await released()) ?? '')?.[1] ?? '';
  assert.match(present, /^\d+\.\d+\.\d+\.\d+$/);
  assert.equal(await released(), line(present));
  const requested = Promise.withResolvers<() => void>();
  pages.route('/slow', (_, response) => requested.resolve(() => response.end('<!doctype html><p>slow')));
  const { code, stdout } = await tintype(['browser', 'renew', '--json'], environment);
  const {
    renewed,
    browser,
    before: old,
  } = JSON.parse(stdout) as {
    renewed: boolean;
    browser: { version: string; ageDays: number };
    before: { version: string };
  };
  assert.deepEqual([code, renewed, old.version], [0, true, present]);
  assert.deepEqual([browser.version, browser.ageDays], [newVersion, 0]);
  const slow = shoot('/slow');
  const answer = await requested.promise;
  await service.clock.advance(60_000);
  assert.equal(await released(), line(newVersion));
  assert.equal(await shoot('/page'), 200);
  answer();
  assert.equal(await slow, 200);
});

test('with nothing newer, the command says so and exits 0; doctor accepts the age of the new one', async () => {
  const { code, stdout } = await tintype(['browser', 'renew'], environment);
  assert.equal(code, 0);
  assert.match(stdout, /^nothing newer than the browser 999\.0\.1\.2 from .* can be had\n$/);
  assert.equal(readdirSync(cache.path).filter((name) => name.startsWith('playwright-')).length >= 1, true);
  const doctor = await tintype(['doctor', '--json'], { ...service.environment, ...environment });
  const findings = JSON.parse(doctor.stdout) as { check: string; ok: boolean; found: string }[];
  const age = findings.find(({ check }) => check === 'browser age');
  assert.equal(age?.ok, true, doctor.stdout);
  assert.match(age?.found ?? '', /^999\.0\.1\.2 was released on /);
});

test('with CHROMIUM_PATH there is nothing to renew', async () => {
  const given = { ...environment, CHROMIUM_PATH: process.execPath };
  const { code, stderr } = await tintype(['browser', 'renew'], given);
  assert.equal(code, 1);
  assert.match(stderr, /CHROMIUM_PATH names the browser: renew it the way you installed it/);
});

// A package that is needed only to get a browser comes through npm, with the version and the digest of the lock file. Real npm, and a registry on
// loopback.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type * as npmPackages from '#browser/install/npm-package.ts';
import { tarEnd, tarHeader, tarPadding } from '#http/tar.ts';
import { readConfig } from '#roof/config.ts';
import { root, temporaryFolder } from '#test/support/processes.ts';

const name = 'a-browser';
const version = '1.2.3';

test('it is installed as it was locked, alone; other bytes are refused; one that is installed is used', async (context) => {
  const { path, remove } = await temporaryFolder();
  context.after(remove);
  const manifest = Buffer.from(JSON.stringify({ name, version, dependencies: { 'not-needed': '1.0.0' } }));
  const header = tarHeader('package/package.json', manifest.length, 0);
  const tarball = gzipSync(Buffer.concat([header, manifest, tarPadding(manifest.length), tarEnd]));
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  let asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const dist = { tarball: `${registry}/${name}.tgz` };
    const versions = { [version]: { name, version, dist } };
    response.end(request.url === `/${name}.tgz` ? tarball : JSON.stringify({ name, versions }));
  });
  context.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  for (const file of ['package.json', 'src/core', 'src/browser/install'])
    cpSync(join(root, file), join(path, file), { recursive: true });
  const lock = (digest: string) => {
    const packages = { [`node_modules/${name}`]: { version, integrity: digest } };
    writeFileSync(join(path, 'package-lock.json'), JSON.stringify({ packages }));
  };
  const module = pathToFileURL(join(path, 'src/browser/install/npm-package.ts')).href;
  const { npmPackage } = (await import(module)) as typeof npmPackages;
  const environment = {
    ...readConfig().fetchEnvironment,
    HOME: path,
    npm_config_registry: registry,
    npm_config_fetch_retries: '0',
  };
  const settings = { ...environment, npm_config_cache: join(path, 'downloads') };

  lock(integrity);
  const folder = await npmPackage(name, join(path, 'draft'), settings);
  assert.deepEqual(readFileSync(join(folder, 'package.json')), manifest);
  assert.deepEqual([...new Set(asked)], [`/${name}`, `/${name}.tgz`]);

  lock(`sha512-${createHash('sha512').update('other').digest('base64')}`);
  await assert.rejects(npmPackage(name, join(path, 'draft-2'), settings), /^Error: EINTEGRITY$/);

  asked = [];
  const installed = join(path, 'node_modules', name);
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(installed, 'package.json'), manifest);
  assert.deepEqual([await npmPackage(name, join(path, 'draft-3'), settings), asked], [installed, []]);
});

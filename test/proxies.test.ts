// The examples in deploy/proxy, started in front of a service: what they must let through, keep to themselves and say of the client.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createAuthority, trust } from '#test/support/certificates.ts';
import * as images from '#test/support/images.ts';
import { freePort, root, temporaryFolder } from '#test/support/processes.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { waitFor } from '#test/support/wait-for.ts';

let service: TestService;
let key: string;
before(async () => {
  service = await startService({ TRUST_PROXY: '1' });
  ({ key } = await service.newKey());
});
after(() => service.stop());

/** The example, with these texts replaced; each must be in it. */
function example(name: string, changes: [string, string][]): string {
  return changes.reduce(
    (text, [from, to]) => {
      assert.ok(text.includes(from), `deploy/proxy/${name} has "${from}"`);
      return text.replaceAll(from, to);
    },
    readFileSync(join(root, 'deploy', 'proxy', name), 'utf8'),
  );
}

const upstream = (): [string, string] => ['127.0.0.1:3000', new URL(service.origin).host];

interface Proxy {
  command: string[];
  origin: string;
}

async function use({ command: [file = '', ...args], origin }: Proxy, home: string): Promise<void> {
  let output = '';
  const child = spawn(file, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { HOME: home, PATH: process.env['PATH'] },
  });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += String(bytes)));
  const exited = once(child, 'exit');
  try {
    await waitFor('the proxy', async () => {
      if (child.exitCode !== null) throw new Error(`it ended: ${output}`);
      return fetch(`${origin}/healthz`).then(
        ({ status }) => status === 200,
        () => false,
      );
    });
    for (const path of ['/metrics', '/readyz', '//metrics']) {
      const response = await fetch(origin + path);
      await response.arrayBuffer();
      assert.equal(response.status, 404, path);
    }
    const remaining: string[] = [];
    for (const spoofed of ['203.0.113.1', '203.0.113.2']) {
      const response = await fetch(`${origin}/api/nothing`, { headers: { 'x-forwarded-for': spoofed } });
      await response.arrayBuffer();
      remaining.push(response.headers.get('x-service-ratelimit-remaining') ?? '');
    }
    assert.equal(Number(remaining[0]) - Number(remaining[1]), 1, 'a client cannot pretend to be another');
    const picture = await images.pngOfSize(9_500_000);
    const files = Array.from({ length: 5 }, (_, n): [Buffer, string] => [picture, `${n}.png`]);
    const batch = await post<{ items: { upload: { file_url: string } }[] }>(`${origin}/api/v1/upload/batch`, {
      body: formOf(files),
      headers: bearer(key),
    });
    assert.equal(batch.status, 201, '47 MB of files pass');
    const stored = await fetch(origin + new URL(batch.body.items[4]!.upload.file_url).pathname);
    assert.equal((await stored.arrayBuffer()).byteLength, picture.length);
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}

test('nginx', async (context) => {
  if (spawnSync('nginx', ['-v']).status !== 0) {
    context.skip('there is no nginx on this machine');
    return;
  }
  const { path, remove } = await temporaryFolder();
  context.after(remove);
  const port = await freePort();
  const authority = createAuthority();
  const { cert, key: certKey } = authority.issue('localhost');
  await writeFile(join(path, 'cert.pem'), cert);
  await writeFile(join(path, 'key.pem'), certKey);
  const live = '/etc/letsencrypt/live/img.example.com';
  const site = example('nginx.conf', [
    upstream(),
    ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    [`${live}/fullchain.pem`, join(path, 'cert.pem')],
    [`${live}/privkey.pem`, join(path, 'key.pem')],
  ]);
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  for (const name of folders) await mkdir(join(path, name));
  await writeFile(
    join(path, 'nginx.conf'),
    `daemon off; master_process off; pid ${path}/pid; events {}
    http { access_log off; ${folders.map((name) => `${name}_temp_path ${path}/${name};`).join(' ')} ${site} }`,
  );
  context.after(trust(authority));
  const command = ['nginx', '-p', path, '-c', join(path, 'nginx.conf'), '-e', 'stderr'];
  await use({ command, origin: `https://localhost:${port}` }, path);
});

test('Caddy', async (context) => {
  if (spawnSync('caddy', ['version']).status !== 0) {
    context.skip('there is no caddy on this machine');
    return;
  }
  const { path, remove } = await temporaryFolder();
  context.after(remove);
  const origin = `http://127.0.0.1:${await freePort()}`;
  // Without TLS: a certificate would come from an authority on the internet.
  const site = example('Caddyfile', [upstream(), ['\nimg.example.com {', `\n${origin} {`]]);
  await writeFile(join(path, 'Caddyfile'), `{\n\tadmin off\n}\n${site}`);
  const command = ['caddy', 'run', '--adapter', 'caddyfile', '--config', join(path, 'Caddyfile')];
  await use({ command, origin }, path);
});

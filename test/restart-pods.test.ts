// deploy/restart-pods.js, which the CronJob of the manifests runs, against a server that takes the place of the Kubernetes API.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { parseYaml } from '@redocly/openapi-core';
import { createAuthority } from '#test/support/certificates.ts';
import { root, temporaryFolder } from '#test/support/processes.ts';

type Tree = { [key: string]: Tree } & Tree[];
const parse = (name: string): Tree =>
  parseYaml(readFileSync(join(root, 'deploy', 'kubernetes', name), 'utf8')) as Tree;
const pod = parse('browser-renewal.yaml')['spec']?.['jobTemplate']?.['spec']?.['template']?.['spec'] as Tree;
const container = pod['containers']?.[0] as Tree;

async function run(status: number) {
  const asked: { method?: string; url?: string; headers: NodeJS.Dict<string | string[]>; body: unknown }[] =
    [];
  const authority = createAuthority();
  const server = createServer(authority.issue('127.0.0.2'), (request, response) => {
    const { method = '', url = '', headers } = request;
    const answer = (body: unknown) => {
      asked.push({ method, url, headers, body });
      response.writeHead(status).end('the answer');
    };
    text(request).then(JSON.parse).then(answer, assert.ifError);
  });
  server.listen(0, '127.0.0.2');
  await once(server, 'listening');
  const { path: account, remove } = await temporaryFolder();
  writeFileSync(join(account, 'token'), 'the-token\n');
  writeFileSync(join(account, 'namespace'), 'pictures');
  writeFileSync(join(account, 'ca.crt'), authority.cert);
  // The variables of the manifest, with its folder elsewhere.
  const given = container['env'] as unknown as { name: string; value: string }[];
  const variables = given.map(({ name, value }) => [
    name,
    value.replace('/var/run/secrets/kubernetes.io/serviceaccount', account),
  ]);
  const [, file = '', ...args] = container['command'] as unknown as string[];
  const child = spawn(process.execPath, [file.replace('/app', root), ...args], {
    env: {
      ...(Object.fromEntries(variables) as Record<string, string>),
      KUBERNETES_SERVICE_HOST: '127.0.0.2',
      KUBERNETES_SERVICE_PORT: String((server.address() as AddressInfo).port),
    },
  });
  const [printed, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number]>,
  ]);
  server.close();
  await remove();
  return { asked, printed, errors, code };
}

test('the job changes one annotation of the deployment, for which its account has the right', async () => {
  const { asked, errors, code } = await run(200);
  assert.deepEqual([code, errors, asked.length], [0, '', 1]);
  const { method, url, headers, body } = asked[0]!;
  const name = parse('deployment.yaml')['metadata']?.['name'] as unknown as string;
  assert.deepEqual([method, url], ['PATCH', `/apis/apps/v1/namespaces/pictures/deployments/${name}`]);
  assert.equal(headers['authorization'], 'Bearer the-token');
  assert.equal(headers['content-type'], 'application/strategic-merge-patch+json');
  const changed = (body as Tree)['spec']?.['template']?.['metadata']?.['annotations'] as unknown as object;
  assert.ok(Math.abs(Date.now() - Date.parse(String(Object.values(changed)[0]))) < 3_600_000);
  const [rule] = parse('browser-renewal-role.yaml')['rules'] as unknown as object[];
  assert.deepEqual(rule, {
    apiGroups: ['apps'],
    resources: ['deployments'],
    resourceNames: [name],
    verbs: ['patch'],
  });
  const account = parse('browser-renewal-account.yaml')['metadata']?.['name'];
  const binding = parse('browser-renewal-binding.yaml');
  assert.equal(pod['serviceAccountName'], account);
  assert.equal(binding['subjects']?.[0]?.['name'], account);
  assert.equal(binding['roleRef']?.['name'], parse('browser-renewal-role.yaml')['metadata']?.['name']);
});

test('a refusal fails the job', async () => {
  const { errors, code } = await run(403);
  assert.deepEqual([code, errors], [1, 'tintype was not restarted: 403 the answer\n']);
});

test('the job runs the image of the deployment, which both pull again, with no more rights', () => {
  const deployed = parse('deployment.yaml')['spec']?.['template']?.['spec']?.['containers']?.[0] as Tree;
  for (const key of ['image', 'imagePullPolicy', 'securityContext'])
    assert.deepEqual(container[key], deployed[key], key);
  assert.equal(deployed['imagePullPolicy'], 'Always');
  const dockerfile = readFileSync(join(root, 'deploy', 'Dockerfile'), 'utf8');
  assert.match(dockerfile, /^COPY --from=build .*\/app\/deploy\/restart-pods\.js deploy\/$/m);
  assert.match(
    readFileSync(join(root, 'deploy', 'Dockerfile.dockerignore'), 'utf8'),
    /^!deploy\/restart-pods\.js$/m,
  );
});

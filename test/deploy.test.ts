// The files in deploy/ match the service: they parse, their variables exist, and the probes and the metric are served.
import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseYaml } from '@redocly/openapi-core';
import { dashboardPath, entryPaths } from '#console/paths.ts';
import { variables } from '#roof/config.ts';
import { readDockerRun } from '#test/support/docker-run.ts';
import { root } from '#test/support/processes.ts';

type Tree = { [key: string]: Tree } & Tree[];

const deploy = join(root, 'deploy');
const read = (path: string): string => readFileSync(join(deploy, path), 'utf8');
const parse = (path: string): Tree => parseYaml(read(path)) as Tree;
const containerOf = (path: string): Tree =>
  parse(path)['spec']?.['template']?.['spec']?.['containers']?.[0] as Tree;
const manifests = readdirSync(join(deploy, 'kubernetes'));
const isKnown = (name: string): boolean =>
  name in variables || /^(AWS_ACCESS_KEY_ID|AWS_SECRET_ACCESS_KEY|PATH)$/.test(name);

test('every manifest parses and is named in the kustomization', () => {
  const listed = parse('kubernetes/kustomization.yaml')['resources'] as unknown as string[];
  assert.deepEqual(listed.toSorted(), manifests.filter((name) => name !== 'kustomization.yaml').toSorted());
  for (const name of manifests) assert.ok(parse(`kubernetes/${name}`)['kind'], name);
});

test('the image is built without the packages of the tests, keeps no builders, and has compiled code of its own user', () => {
  const text = read('Dockerfile').replaceAll('\\\n', ' ');
  const at = (pattern: RegExp): number => {
    const index = text.search(pattern);
    assert.ok(index >= 0, String(pattern));
    return index;
  };
  const order = [
    /^RUN npm ci --omit=dev$/m,
    /scripts\/trim-packages\.ts/,
    /node bin\/programs\.js/,
    /npm prune --omit=dev --omit=peer/,
    /install -d -o tintype .*\/compiled/,
    /setpriv --reuid tintype .*node bin\/tintype\.js serve &/,
    /^USER tintype$/m,
  ].map(at);
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  );
  const { peerDependencies, dependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  ) as Record<string, Record<string, string>>;
  // What the image loads must not be left out with the builders.
  const imported = globSync('src/**/*.ts', { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import|resolve\()\s*'([^'#.][^']*)'/g)].map(
      ([, name = '']) => name,
    ),
  );
  const packageOf = (name: string): string =>
    name
      .split('/')
      .slice(0, name.startsWith('@') ? 2 : 1)
      .join('/');
  const loaded = [...new Set(imported.filter((name) => !name.startsWith('node:')).map(packageOf))];
  assert.ok(loaded.includes('fastify'));
  assert.deepEqual(
    loaded.filter((name) => name in (peerDependencies ?? {}) && !(name in (dependencies ?? {}))),
    [],
  );
});

test("every variable that is set is one of Tintype's or AWS's, or PATH", () => {
  const names = [
    ...Object.keys(parse('compose.yaml')['services']?.['tintype']?.['environment'] ?? {}),
    ...Object.keys(parse('kubernetes/config.yaml')['data'] ?? {}),
    ...Object.keys(parse('kubernetes/secret.yaml')['stringData'] ?? {}),
    ...[...read('Dockerfile').matchAll(/\b([A-Z_]+)=\S+/g)].map(([, name = '']) => name),
  ];
  assert.ok(names.length > 10);
  assert.deepEqual(
    names.filter((name) => !isKnown(name)),
    [],
  );
});

test('the compose file keeps the data on a volume, needs no password, and every variable it uses is in example.env', () => {
  const { services, volumes } = parse('compose.yaml');
  assert.deepEqual(Object.keys(services ?? {}), ['tintype', 'proxy']);
  const service = services?.['tintype'];
  const folder = /^VOLUME (.+)$/m.exec(read('Dockerfile'))?.[1];
  assert.deepEqual([service?.['volumes'], Object.keys(volumes ?? {})[0]], [[`data:${folder}`], 'data']);
  // Either would keep the data elsewhere.
  for (const name of ['DATABASE_URL', 'STORAGE_URL'])
    assert.equal(service?.['environment']?.[name], undefined);
  assert.match(read('Caddyfile'), /^\treverse_proxy tintype:3000 \{$/m);
  const used = [...read('compose.yaml').matchAll(/\$\{([A-Z_]+)/g)].map(([, name = '']) => name);
  const example = [...read('example.env').matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name);
  assert.deepEqual([...new Set(used)], example);
});

test('the container and the pods do not run as root, have a read-only file system, and allow the sandbox', () => {
  assert.match(read('Dockerfile'), /^USER tintype$/m);
  const service = parse('compose.yaml')['services']?.['tintype'];
  assert.deepEqual([service?.['read_only'], service?.['tmpfs']], [true, ['/tmp']]);
  const { volumeMounts, securityContext } = containerOf('kubernetes/deployment.yaml');
  assert.equal(securityContext?.['readOnlyRootFilesystem'], true);
  // The image has its fonts there; a volume would hide them.
  assert.ok(!volumeMounts?.some(({ mountPath }) => String(mountPath).startsWith('/var/cache')));
  const pod = parse('kubernetes/deployment.yaml')['spec']?.['template']?.['spec'];
  assert.equal(pod?.['securityContext']?.['runAsNonRoot'], true);
  const profile = JSON.parse(read('seccomp.json')) as { syscalls: { names: string[] }[] };
  const refused = profile.syscalls.flatMap(({ names }) => names);
  for (const needed of ['clone', 'clone3', 'unshare', 'chroot', 'setns'])
    assert.ok(!refused.includes(needed), needed);
});

test('the image has the newest browser that can be had when it is built, and building fails if none runs', () => {
  const dockerfile = read('Dockerfile');
  const [renewal] = /^RUN node bin\/tintype\.js browser renew \|\| node bin\/tintype\.js browser$/m.exec(
    dockerfile,
  )!;
  // As root, in the cache that the service will have.
  assert.ok(dockerfile.indexOf(renewal) > dockerfile.indexOf('CACHE_DIR='));
  assert.ok(dockerfile.indexOf(renewal) < dockerfile.indexOf('\nUSER tintype'));
});

test('the line of docker run confines the container as the compose file does, and keeps its data', () => {
  const service = parse('compose.yaml')['services']?.['tintype'];
  assert.deepEqual(readDockerRun(), {
    image: 'tintype',
    isReadOnly: service?.['read_only'],
    hasCapabilities: false,
    mayGainPrivileges: false,
    seccompFile: 'deploy/seccomp.json',
    temporaryFolders: service?.['tmpfs'],
    sharedMemory: service?.['shm_size'],
    volume: /^VOLUME (.+)$/m.exec(read('Dockerfile'))?.[1],
    port: /^EXPOSE (.+)$/m.exec(read('Dockerfile'))?.[1],
  });
});

test("the service provides the probes and the autoscaler's metric", () => {
  const container = containerOf('kubernetes/deployment.yaml');
  const routes = readFileSync(join(root, 'src', 'server', 'routes.ts'), 'utf8');
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
    const path = container?.[probe]?.['httpGet']?.['path'] as unknown as string;
    assert.ok(routes.includes(`'${path}'`), `${probe}: ${path}`);
  }
  const metrics = readFileSync(join(root, 'src', 'server', 'metrics.ts'), 'utf8');
  assert.ok(metrics.includes("'tintype_renders'"));
  assert.match(read('kubernetes/autoscaler.yaml'), /name: tintype_renders_in_hand/);
});

test('every path except /metrics and /readyz is published', () => {
  const [rule] = parse('kubernetes/ingress.yaml')['spec']?.['rules'] ?? [];
  const published = (rule?.['http']?.['paths'] ?? []) as unknown as { path: string; pathType: string }[];
  const isPublished = (url: string): boolean =>
    published.some(({ path, pathType }) =>
      pathType === 'Exact' ? url === path : url === path || url.startsWith(`${path}/`),
    );
  const routes = readFileSync(join(root, 'src', 'server', 'routes.ts'), 'utf8');
  const urls = [...routes.matchAll(/'(?:[A-Z]+ )?(\/[^']*)'/g)].map(([, url = '']) => url);
  assert.ok(urls.length > 50);
  const hidden = [...urls, ...entryPaths, dashboardPath].filter((url) => !isPublished(url));
  assert.deepEqual(hidden.toSorted(), ['/metrics', '/readyz']);
  const caddy = read('Caddyfile');
  assert.match(caddy, /^\t@internal path \/metrics \/metrics\/\* \/readyz \/readyz\/\*$/m);
  assert.match(caddy, /^\trespond @internal 404$/m);
});

// Proof: the image of deploy/Dockerfile builds from a clean clone, contains only what runs, and works completely as its
// unprivileged user on a read-only root. Only in the long form: it takes minutes, root, and Debian's tools.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildImage, type Image, removeImages } from '#lab/prove/container/build.ts';
import { confinement, openDashboard, render, sandboxOf, upload } from '#lab/prove/container/checks.ts';
import { runImage } from '#lab/prove/container/run.ts';
import type { Finding, Proof } from '#lab/prove/proof.ts';
import { askForRender, seconds } from '#lab/prove/renderer.ts';
import { startPageServer } from '#test/support/page-server.ts';
import { colourOf } from '#test/support/pixels.ts';
import { ownerFile, root, temporaryFolder } from '#test/support/processes.ts';
import { waitFor } from '#test/support/wait-for.ts';

export const containerProof: Proof = {
  name: 'container',
  title: 'The container image',
  async run(_size, say) {
    const folder = await temporaryFolder();
    const startedAt = performance.now();
    try {
      const image = await buildImage(folder.path, say);
      say(`built after ${seconds(performance.now() - startedAt)}`);
      return await proveImage(image, folder.path, say);
    } finally {
      await removeImages(folder.path);
      await folder.remove();
    }
  },
};

export async function proveImage(
  image: Image,
  folder: string,
  say: (line: string) => void,
): Promise<Finding[]> {
  return [...(await lookInto(image)), ...(await useIt(image, folder, say))];
}

async function lookInto({ rootfs, layers, architecture, commit, config }: Image): Promise<Finding[]> {
  const app = join(rootfs, 'app');
  const files = (await readdir(app, { recursive: true })).filter((path) => !path.includes('node_modules/'));
  const strange = files.filter(
    (path) => /^(test|lab|scripts)(\/|$)|\.test\.ts$/.test(path) || /^dashboard\/(?!dist)/.test(path),
  );
  const { devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  const installed = new Set(await readdir(join(app, 'node_modules'), { recursive: true }));
  const present = Object.keys(devDependencies).filter((name) => installed.has(name));
  const total = layers.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return [
    {
      what: 'the image builds from a clean clone',
      seen: `commit ${commit}, ${architecture}, ${megabytes(total)}: ${layers.map(({ made, sizeBytes }) => `${made} ${megabytes(sizeBytes)}`).join('; ')}`,
      holds: layers.length > 1 && config.User !== '' && config.User !== 'root',
    },
    {
      what: 'no development dependency is in it',
      seen: `${present.length} of ${Object.keys(devDependencies).length} (${present.join(', ') || 'none'})`,
      holds: present.length === 0 && installed.has('fastify'),
    },
    {
      what: 'no test, benchmark or proof is in it, and no source of the dashboard',
      seen: `${strange.length} of ${files.length} files (${strange.join(', ') || 'none'})`,
      holds: strange.length === 0 && files.length > 50,
    },
  ];
}

async function useIt(image: Image, folder: string, say: (line: string) => void): Promise<Finding[]> {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const site = await startPageServer({
    '/page': '<!doctype html><body style="margin:0;background:rgb(0,160,0)"><p>a page',
    '/held.png': (_, response) => {
      asked.resolve();
      void answer.promise.then(() => response.end());
    },
    '/slow': '<!doctype html><body style="margin:0;background:rgb(0,160,0)"><img src="/held.png">',
  });
  const container = await runImage(image, folder, { EGRESS_ALLOW: site.host });
  try {
    say(`ready after ${seconds(container.readyAfterMs)}`);
    const welcome = await ownerFile(join(container.dataDir, 'owner.txt'));
    const key = /tt_\w{49}/.exec(welcome)?.[0] ?? '';
    const healthy = await container.exec(image.healthcheck);
    const unhealthy = await container.exec(['env', 'PORT=1', ...image.healthcheck]);
    const listed = await container.exec(['sh', '-c', 'tintype account list | grep owner@tintype.local']);
    const findings = [
      confinement(container),
      {
        what: "the image's health check tells a living service from a dead one",
        seen: `exit code ${healthy}, and ${unhealthy} for a port where nobody listens`,
        holds: healthy === 0 && unhealthy === 1,
      },
      {
        what: "the operator's commands work in it as they are, on the database of the service",
        seen: `"tintype account list" ${listed === 0 ? 'lists' : 'DOES NOT LIST'} the owner`,
        holds: listed === 0,
      },
      await openDashboard(container, welcome),
      await upload(container, key),
      ...(await render(container, key, `${site.base}/page`)),
    ];
    // The stop comes in the middle of a render, which must still be answered.
    const shot = askForRender(`${container.origin}/api/v1/screenshot`, key, { url: `${site.base}/slow` });
    await asked.promise;
    const sandbox = sandboxOf(container);
    const stopped = container.stop();
    await waitFor('new connections to be refused', () =>
      fetch(`${container.origin}/healthz`).then(
        () => false,
        () => true,
      ),
    );
    answer.resolve();
    const { status, bytes } = await shot;
    const code = await stopped;
    return [
      ...findings,
      sandbox,
      {
        what: 'SIGTERM in the middle of a render: no new connection, the render is answered, the container ends',
        seen: `status ${status}, ${bytes.length} bytes, exit code ${code}`,
        holds: status === 200 && (await colourOf(bytes)) === 'green' && code === 0,
      },
    ];
  } finally {
    answer.resolve();
    await container.remove();
    await site.close();
  }
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

// GET /clients/ and /clients/NAME: the clients of this version, as built by `npm run setup` or for the image. They are not on a public
// registry, so they are installed from here. Those of earlier versions stay in DATA_DIR, because lock files name their addresses.
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError, notFound } from '#core/errors.ts';
import { root } from '#core/programs.ts';
import { keepFiles } from '#storage/kept-files.ts';
import { html, sendPage } from '#site/pages/page.ts';
import {
  createStaticFile,
  readStaticFolder,
  sendStaticFile,
  typeOf,
  type StaticFile,
} from '#site/pages/static-files.ts';

const builtFolder = join(root, 'clients', 'dist');
const maxUnpackedBytes = 16 * 1024 * 1024;
/** A name with a version may be cached for a day; a plain name is revalidated each time, by its ETag. */
const versioned = /^tintype-(?:(?:client|cli|mcp)-\d+\.\d+\.\d+\.tgz|\d+\.\d+\.\d+-py3-none-any\.whl)$/;

export function clientFiles({
  baseUrl,
  dataDir,
  log,
}: {
  baseUrl: string;
  dataDir: string | undefined;
  log: FastifyBaseLogger;
}) {
  const built = readStaticFolder(builtFolder);
  const files = [...built].map(([name, { bytes }]): [string, Buffer] => [name, bytes]);
  const kept =
    dataDir === undefined
      ? undefined
      : keepFiles(join(dataDir, 'clients'), files, (name) => versioned.test(name), isSame);
  for (const name of kept?.foreign ?? [])
    log.error(
      { file: join(dataDir ?? '', 'clients', name) },
      'the file is not what this version has under that name, so neither is served; see where it came from, then delete it',
    );

  function requireBuilt(): void {
    if (built.size === 0)
      throw new ServiceError(
        'not_found',
        'The clients are not built here. Run npm run setup and start the service again.',
      );
  }

  /** What was first served under a name with a version stays: lock files have the digest of its bytes. */
  async function find(name: string): Promise<StaticFile | undefined> {
    if (kept?.foreign.includes(name)) return undefined;
    if (!kept?.names.includes(name)) return built.get(name);
    return createStaticFile(typeOf(name), await kept.read(name));
  }

  return {
    async index(_request: FastifyRequest, reply: FastifyReply) {
      requireBuilt();
      const now = [...built.keys()].filter((name) => !kept?.foreign.includes(name)).toSorted();
      const before = (kept?.names ?? []).filter((name) => !built.has(name)).toSorted();
      const list = (names: string[]) =>
        html`<ul>
          ${names.map((name) => html`<li><a href="/clients/${name}">${baseUrl}/clients/${name}</a></li> `)}
        </ul>`;
      return sendPage(reply, {
        title: 'Clients',
        body: html`<main class="landing">
          <h1>Clients</h1>
          <p>
            Pin a name with a version: its bytes never change. A name without one is always the newest. npm
            install takes the .tgz files, pip install the .whl.
          </p>
          ${list(now)}
          ${
            before.length > 0
              ? html`<h2>Earlier versions</h2>
                  ${list(before)}`
              : ''
          }
        </main>`,
      });
    },

    async file(request: FastifyRequest, reply: FastifyReply) {
      requireBuilt();
      const { name } = request.params as { name: string };
      const file = await find(name);
      if (!file) throw notFound();
      reply.headers({
        'cache-control': versioned.test(name) ? 'public, max-age=86400' : 'public, no-cache',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
      });
      return sendStaticFile(request, reply, file);
    },
  };
}

/** The build refuses other contents under a version; only zlib does not compress alike on every processor. */
function isSame(name: string, kept: Buffer, own: Buffer): boolean {
  if (kept.equals(own)) return true;
  if (!name.endsWith('.tgz')) return false;
  try {
    return gunzipSync(kept, { maxOutputLength: maxUnpackedBytes }).equals(gunzipSync(own));
  } catch {
    return false;
  }
}

// GET /clients/NAME: the clients of this version, as built by `npm run setup` or for the image. They are not on a public
// registry, so they are installed from here.
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError, notFound } from '#core/errors.ts';
import { readStaticFolder, sendStaticFile } from '#http/pages/static-files.ts';

const builtFolder = join(import.meta.dirname, '..', '..', '..', 'clients', 'dist');
/** A name with a version may be cached for a day; a plain name is revalidated each time, by its ETag. */
const hasVersion = /-\d+\.\d+\.\d+\.tgz$/;

export function clientFiles() {
  const built = readStaticFolder(builtFolder);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { name } = request.params as { name: string };
    if (built.size === 0)
      throw new ServiceError(
        'not_found',
        'The clients are not built here. Run npm run setup and start the service again.',
      );
    const file = built.get(name);
    if (!file) throw notFound();
    reply.headers({
      'cache-control': hasVersion.test(name) ? 'public, max-age=86400' : 'public, no-cache',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    });
    return sendStaticFile(request, reply, file);
  };
}

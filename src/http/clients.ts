// GET /clients/NAME: the clients of this version, as `npm run setup` or the image has built them. They are on no public registry, so
// this is where they are installed from.
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError, notFound } from '#core/errors.ts';
import { readStaticFolder, sendStaticFile, type StaticFile } from '#http/static-files.ts';

const builtFolder = join(import.meta.dirname, '..', '..', 'clients', 'dist');
/** A name with a version stays what it is for a day; a plain name is asked for again each time, by its tag. */
const hasVersion = /-\d+\.\d+\.\d+\.tgz$/;

export function clientFiles(folder = builtFolder) {
  const built = readBuilt(folder);
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

function readBuilt(folder: string): Map<string, StaticFile> {
  try {
    return readStaticFolder(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw error;
  }
}

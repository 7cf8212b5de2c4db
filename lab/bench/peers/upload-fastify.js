// @fastify/multipart, files streamed to disk as its manual shows; it syncs nothing and stores no row.
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { randomUUID } from 'node:crypto';
import multipart from '@fastify/multipart';
import Fastify from 'fastify';

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });
const app = Fastify();
await app.register(multipart, { limits: { fileSize: 10 * 1024 * 1024, files: 10 } });
app.post('/upload', async (request, reply) => {
  const ids = [];
  for await (const part of request.files()) {
    const id = randomUUID();
    await pipeline(part.file, createWriteStream(join(folder, id)));
    ids.push(id);
  }
  return reply.code(201).send({ ids });
});
await app.listen({ port: 0, host: '127.0.0.1' });
console.log(app.server.address().port);

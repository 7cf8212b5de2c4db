// @fastify/static on a folder of files.
import files from '@fastify/static';
import Fastify from 'fastify';

const app = Fastify();
await app.register(files, { root: process.argv[2] });
await app.listen({ port: 0, host: '127.0.0.1' });
console.log(app.server.address().port);

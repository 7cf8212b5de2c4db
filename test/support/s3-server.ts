// The process of the S3 protocol server: node s3-server.ts PORT FOLDER BUCKET. It ends when its input does.
import { createServer } from 'node:http';
import S3rver from '@20minutes/s3rver';

const [port, directory = '', bucket = ''] = process.argv.slice(2);
const options = { directory, silent: true, vhostBuckets: false };
const objects = new S3rver({ ...options, configureBuckets: [{ name: bucket, configs: [] }] });
await objects.configureBuckets();
// The server's store treats an end of 0 as missing; as text it works.
const { getObject } = objects.store;
objects.store.getObject = (bucketName, key, range) =>
  getObject.call(objects.store, bucketName, key, range?.end === 0 ? { ...range, end: '0' } : range);
// The server reads signatures wrongly in two cases: a bucket's path with a trailing slash, and an apostrophe in the query.
const lenient = new S3rver({ ...options, allowMismatchedSignatures: true });
const [answer, answerLeniently] = [objects.getMiddleware(), lenient.getMiddleware()];
const isMisread = (url = ''): boolean => new RegExp(`^/${bucket}/?([?]|$)|%27`).test(url);

createServer((request, response) =>
  (isMisread(request.url) ? answerLeniently : answer)(request, response),
).listen(Number(port), '127.0.0.1', () => process.stdout.write('listening\n'));
process.stdin.on('end', () => process.exit(0)).resume();

// The process of the S3 protocol server: node s3-server.ts PORT FOLDER BUCKET. It ends when its input does.
import { createServer } from 'node:http';
import S3rver from '@20minutes/s3rver';

const [port, directory = '', bucket = ''] = process.argv.slice(2);
const options = { directory, silent: true, vhostBuckets: false };
const objects = new S3rver({ ...options, configureBuckets: [{ name: bucket, configs: [] }] });
await objects.configureBuckets();
// To the server's store an end of 0 looks like none at all; as text it does not.
const { getObject } = objects.store;
objects.store.getObject = (bucketName, key, range) =>
  getObject.call(objects.store, bucketName, key, range?.end === 0 ? { ...range, end: '0' } : range);
// The server leaves the last slash of a bucket's path out of the signature, where the protocol has it in.
const buckets = new S3rver({ ...options, allowMismatchedSignatures: true });
const [answerObject, answerBucket] = [objects.getMiddleware(), buckets.getMiddleware()];
const isBucket = (url = ''): boolean => new RegExp(`^/${bucket}/?([?]|$)`).test(url);

createServer((request, response) =>
  (isBucket(request.url) ? answerBucket : answerObject)(request, response),
).listen(Number(port), '127.0.0.1', () => process.stdout.write('listening\n'));
process.stdin.on('end', () => process.exit(0)).resume();

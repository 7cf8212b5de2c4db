// Blobs in an S3 store, for many machines. Each is spooled on the local disk and sent with a known length, so that memory stays
// bounded; it becomes visible only when the store has all of it.
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  type GetObjectCommandInput,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { isBlobKey } from '#core/ids.ts';
import { openBlob, type Blobs, type Spooled } from '#storage/blobs.ts';
import { createOutageGuard } from '#storage/outage.ts';
import { createSpools } from '#storage/spool.ts';

export interface S3Location {
  bucket: string;
  /** The address of a store other than Amazon's; buckets are then part of the path. */
  endpoint: string | undefined;
  /** If undefined, taken from the platform. */
  region: string | undefined;
  /** Prepended to every key, so that a bucket can be shared. */
  prefix: string;
}

const connectMs = 2_000;
const answerMs = 5_000;
/** The timeout of an upload grows with its size, at this rate. */
const slowestBytesPerMs = 500;
const attempts = 2;
/** High, because slow readers of large files hold their connections for long and must not keep uploads waiting. */
const maxSockets = 1_000;

export async function createS3Blobs(location: S3Location, spoolFolder: string): Promise<Blobs> {
  const { bucket, prefix } = location;
  const client = createClient(location);
  const ask = createOutageGuard('the file store', isOutage);

  const objectOf = (key: string) => ({ Bucket: bucket, Key: prefix + key });

  async function put(spooled: Spooled, key: string): Promise<void> {
    const requestTimeout = answerMs + spooled.sizeBytes / slowestBytesPerMs;
    const send = (Body: Buffer | Readable) =>
      client.send(new PutObjectCommand({ ...objectOf(key), Body, ContentLength: spooled.sizeBytes }), {
        requestTimeout,
      });
    const inMemory = spooled.inMemory();
    if (inMemory) {
      await ask(() => send(inMemory));
      return;
    }
    const path = await spooled.toFile({ isSynced: false });
    // The SDK cannot retry, because a stream can be sent only once.
    for (let attempt = 1; ; attempt += 1) {
      try {
        await ask(async () => {
          // A request that fails leaves its body's descriptor open.
          using body = openBlob(createReadStream(path));
          await send(body.stream);
        });
        break;
      } catch (error) {
        if (attempt === attempts) throw error;
      }
    }
    await rm(path, { force: true });
  }

  const spools = createSpools(join(spoolFolder, 'spool'), put);
  await spools.sweepSpools();

  return {
    ...spools,
    async open(key, range) {
      const input: GetObjectCommandInput = {
        ...objectOf(key),
        // No header names a range without bytes, which is the whole of an empty blob.
        ...(range && range.end >= range.start && { Range: `bytes=${range.start}-${range.end}` }),
      };
      try {
        const { Body } = await ask(() => client.send(new GetObjectCommand(input)));
        return openBlob(Body as Readable);
      } catch (error) {
        if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) return undefined;
        throw error;
      }
    },
    async delete(key) {
      await ask(() => client.send(new DeleteObjectCommand(objectOf(key))));
    },
    async *list() {
      let from: string | undefined;
      do {
        const page = await ask(() =>
          client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken: from })),
        );
        const listed = (page.Contents ?? []).map(({ Key = '', LastModified }) => ({
          key: Key.slice(prefix.length),
          modifiedAt: LastModified?.getTime() ?? 0,
        }));
        // The bucket may hold objects of others below the same prefix.
        yield listed.filter(({ key }) => isBlobKey(key));
        from = page.IsTruncated ? page.NextContinuationToken : undefined;
      } while (from !== undefined);
    },
    signedUrl: (key, { contentType, contentDisposition, cacheControl, lifeSeconds }) =>
      getSignedUrl(
        client,
        new GetObjectCommand({
          ...objectOf(key),
          ResponseContentType: contentType,
          ResponseContentDisposition: contentDisposition,
          ResponseCacheControl: cacheControl,
        }),
        { expiresIn: Math.floor(lifeSeconds) },
      ),
    async ping() {
      const input = { Bucket: bucket, Prefix: prefix, MaxKeys: 1 };
      await ask(() => client.send(new ListObjectsV2Command(input)));
    },
  };
}

function createClient({ endpoint, region }: S3Location): S3Client {
  const agent = { keepAlive: true, maxSockets };
  return new S3Client({
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(region !== undefined && { region }),
    maxAttempts: attempts,
    // Not every store supports the newer checksums; the signature covers the content.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: connectMs,
      requestTimeout: answerMs,
      throwOnRequestTimeout: true,
      // A reader that pauses is not an outage.
      socketTimeout: 0,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
}

/** A store that responds at all, even with an error, is not down. */
const isOutage = (error: unknown): boolean => !(error instanceof S3ServiceException);

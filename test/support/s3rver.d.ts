// The part of the S3 server's interface that the tests use; the package has no types of its own.
declare module '@20minutes/s3rver' {
  import type { RequestListener } from 'node:http';

  export default class S3rver {
    constructor(options: {
      directory: string;
      silent: boolean;
      vhostBuckets: boolean;
      configureBuckets?: { name: string; configs: string[] }[];
      allowMismatchedSignatures?: boolean;
    });
    store: {
      getObject(
        bucket: string,
        key: string,
        range?: { start?: number; end?: number | string },
      ): Promise<unknown>;
    };
    configureBuckets(): Promise<unknown>;
    getMiddleware(): RequestListener;
  }
}

// Files that go to or come from an address of the client. A slow server may hold each for minutes, so accounts take turns and none
// has more than a few under way.
import { ServiceError } from '#core/errors.ts';
import { createFairQueue } from '#core/fair-queue.ts';
import { exchangeMsFor, type Download, type Outgoing, type SendRequest } from '#wall/outgoing.ts';

const size = { concurrency: 16, reserved: 16, concurrencyPerAccount: 4, maxWaiting: 150, maxWaitMs: 30_000 };

export type Transfers = ReturnType<typeof createTransfers>;

export function createTransfers({ outgoing }: { outgoing: Outgoing }) {
  const queue = createFairQueue({ ...size, tooLong: tooMany });
  return {
    /** The longest time until such a file has been sent or given up. */
    longestMs: (sizeBytes: number): number => size.maxWaitMs + exchangeMsFor('put', sizeBytes),
    /** A look-up for a transfer, which may take seconds too. */
    lookUp: <T>(accountId: string, work: () => Promise<T>): Promise<T> => queue.run(accountId, work),
    /** Resolves to the status of the answer. */
    put: (accountId: string, request: Omit<SendRequest, 'way'>): Promise<number> =>
      queue.run(accountId, () => outgoing.send({ ...request, way: 'put' }), { signal: request.signal }),
    download: <T>(
      accountId: string,
      request: { url: string; maxBytes: number; signal?: AbortSignal | undefined },
      receive: (file: Download) => Promise<T>,
    ): Promise<T> =>
      queue.run(accountId, () => outgoing.download(request, receive), { signal: request.signal }),
  };
}

const tooMany = (): ServiceError =>
  new ServiceError(
    'concurrency_limited',
    'Too many files are being transferred for this account. Retry shortly.',
    {
      retryAfterSeconds: 5,
    },
  );

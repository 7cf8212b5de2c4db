// Sends outputs to the addresses that came with the request. One that does not arrive is a warning and refunds nothing: the render has
// succeeded, and its answer has the bytes or their links. v2 2.
import { ServiceError } from '#core/errors.ts';
import type { CheckedUrl } from '#wall/check-url.ts';
import { OutgoingFailure } from '#wall/outgoing.ts';
import type { Wall } from '#wall/wall.ts';
import type { OpenBlob } from '#storage/blobs.ts';
import { maxWarnings, type PageReceipt, type Warning } from '#browser/browser.ts';
import type { Transfers } from '#delivery/transfers.ts';
import type { StoredOutput } from '#renders/stored-render.ts';

/** Where an output goes. The address is secret: it is all that is needed to write there. */
export interface Put {
  /** The place of the output. */
  place: number;
  /** Its name in the request. */
  field: string;
  url: string;
}

export type CheckedPut = Omit<Put, 'url'> & CheckedUrl;

export const checkPuts = (puts: readonly Put[], wall: Wall): CheckedPut[] =>
  puts.map(({ url, ...put }) => ({ ...put, ...wall.check('put', url, put.field) }));

/** An output, and its bytes. */
export interface SentOutput {
  put: CheckedPut;
  output: StoredOutput;
  /** Undefined if they are lost. */
  open: () => Promise<OpenBlob | undefined>;
}

/**
 * Sends all at once, and returns what did not arrive. Not ended by a client that leaves: the bytes may have arrived, so the render is
 * metered in any case.
 */
export async function putOutputs(
  transfers: Transfers,
  accountId: string,
  sent: readonly SentOutput[],
): Promise<Warning[]> {
  const failures = await Promise.all(
    sent.map(async ({ put, output, open }): Promise<Warning[]> => {
      using blob = await open();
      const { contentType, sizeBytes } = output;
      const failure = blob
        ? await transfers
            .put(accountId, { url: put.url.href, contentType, body: { stream: blob.stream, sizeBytes } })
            .then(ofStatus, ofError)
        : 'the file was not sent: its bytes are lost';
      if (failure === undefined) return [];
      const { origin, pathname } = put.url;
      const message = `${put.field}: ${failure}`;
      return [{ code: 'request_failed', message, url: origin + pathname, isOfPut: true }];
    }),
  );
  return failures.flat();
}

/** The failed puts of this request or, in the receipt of a render, of the one that made it. */
export const failuresOfPuts = ({ warnings }: PageReceipt): Warning[] =>
  warnings.filter(({ isOfPut }) => isOfPut);

/** What is said of a page, and of these files; not of those of an earlier request for the same result. */
export function withFailures(page: PageReceipt, failures: readonly Warning[]): PageReceipt {
  const ofPage = page.warnings.filter(({ isOfPut }) => isOfPut !== true);
  return { ...page, warnings: [...ofPage.slice(0, maxWarnings - failures.length), ...failures] };
}

const ofStatus = (status: number): string | undefined =>
  status >= 200 && status < 300 ? undefined : `the file was sent, and the answer was ${status}`;

/** The same for every address that cannot be reached, so that this tells nothing about a network. */
function ofError(error: unknown): string {
  if (error instanceof OutgoingFailure)
    return 'the file could not be sent: the address cannot be reached, has no valid certificate or took too long';
  if (error instanceof ServiceError) return 'the file was not sent: too many others were on their way';
  throw error;
}

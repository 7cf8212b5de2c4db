// An upload from an address: JSON with `url` and the fields of the form. The file is fetched through the checked dialer and counted while
// it streams; redirects are not followed, because each would have to be checked and shown to the client. v2 3.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalid, ServiceError } from '#core/errors.ts';
import { OutgoingFailure, type Download, type OutgoingFailureKind } from '#wall/outgoing.ts';
import { waysOut } from '#wall/ways-out.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { DeliveryRoom } from '#delivery/room.ts';
import { detectType, emptyFile, unsupportedType } from '#uploads/detect-type.ts';
import { fileTooLarge, receiveFile, type ReceivedFile } from '#uploads/receive-file.ts';
import { optionsOf } from '#api/v2/upload-form.ts';
import { UploadFromUrl } from '#api/v2/upload-schemas.ts';
import { readJson } from '#http/body/json-body.ts';
import { valueOf } from '#http/body/header-value.ts';
import type { UploadForm } from '#http/body/upload-form.ts';
import { validate } from '#http/body/validate.ts';
import { hangUpSignal } from '#http/connection/hang-up.ts';

export interface FetchParts {
  uploadBlobs: Blobs;
  transfers: DeliveryRoom['transfers'];
  checkUploadUrl: DeliveryRoom['checkUploadUrl'];
}

export const isFromUrl = ({ headers }: FastifyRequest): boolean =>
  valueOf(headers['content-type']) === 'application/json';

/** The file is fetched once it is known that the request is no repeat. */
export async function readUploadFromUrl(
  { uploadBlobs, transfers, checkUploadUrl }: FetchParts,
  request: FastifyRequest,
  reply: FastifyReply,
  accountId: string,
): Promise<UploadForm> {
  const { url: text, ...fields } = validate(
    UploadFromUrl,
    await readJson(request.raw, { holdsSecrets: true }),
  );
  const options = optionsOf(fields);
  const signal = hangUpSignal(request, reply);
  const { url, decide } = checkUploadUrl(text, 'url');
  const files = new AsyncDisposableStack();

  async function receive(): Promise<ReceivedFile> {
    await decide(signal);
    const receiver = files.use(receiveFile(uploadBlobs, nameIn(url), accountId));
    const wanted = { url: url.href, maxBytes: waysOut.upload.limits.bodyBytes, signal };
    try {
      await transfers.download(accountId, wanted, async (file) => {
        refuseStatus(url, file);
        for await (const chunk of file.body) await receiver.write(chunk);
      });
    } catch (error) {
      throw signal.aborted ? invalid('body', 'the connection closed') : asRefusal(url, error);
    }
    const file = await receiver.finish();
    if (!detectType(file.head)) throw file.sizeBytes === 0 ? emptyFile('url') : unsupportedType('url');
    return file;
  }

  return {
    files: [],
    later: { content: url.href, receive },
    options,
    [Symbol.asyncDispose]: () => files.disposeAsync(),
  };
}

/** The last part of the path. */
function nameIn({ pathname }: URL): string {
  const last = pathname.slice(pathname.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

function refuseStatus(url: URL, { status }: Download): void {
  if (status === 200) return;
  const isRedirect = status >= 300 && status < 400;
  const problem = isRedirect
    ? `answered with the redirect ${status}, which is not followed; send the address that it leads to`
    : `answered with the status ${status}`;
  throw fetchFailed(url, problem, isRedirect ? 'redirect' : 'http_error', status === 429 || status >= 500);
}

const problems: Record<Exclude<OutgoingFailureKind, 'not_public' | 'too_large'>, [string, boolean]> = {
  unreachable: ['cannot be reached', true],
  certificate: ['has no valid certificate', false],
  timeout: ['did not send the file in time', true],
  malformed: ['does not answer with HTTP, or with very small pieces', false],
};

function asRefusal(url: URL, error: unknown): unknown {
  if (!(error instanceof OutgoingFailure)) return error;
  const { kind } = error;
  if (kind === 'not_public') return invalid('url', `must be a public address; ${url.host} is not`);
  if (kind === 'too_large') return fileTooLarge('url');
  const [problem, retryable] = problems[kind];
  return fetchFailed(url, problem, kind, retryable, error);
}

const fetchFailed = (
  { host }: URL,
  problem: string,
  reason: string,
  retryable: boolean,
  cause?: unknown,
): ServiceError =>
  new ServiceError('fetch_failed', `${host} ${problem}`, {
    cause,
    details: { field: 'url', reason, retryable },
  });

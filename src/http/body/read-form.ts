// Reads a multipart/form-data body part by part as it streams in.
import type { IncomingMessage } from 'node:http';
import { invalid } from '#core/errors.ts';
import { createFormParser, FormError, type PartHead } from '#http/body/form-parser.ts';
import { receiveBody } from '#http/body/receive-body.ts';

/** A part while it arrives. */
export interface OpenPart {
  /** Returns a promise if the next piece must wait for the disk. */
  write(piece: Buffer): Promise<void> | undefined;
  end(): Promise<unknown>;
}

const totalMs = 4 * 60_000;

/** `open` may throw to refuse a part. The promises of the parts' ends belong to their maker. */
export async function readForm(request: IncomingMessage, open: (head: PartHead) => OpenPart): Promise<void> {
  try {
    const parser = createFormParser(request.headers['content-type'] ?? '');
    let part: OpenPart | undefined;
    const body = receiveBody(
      request,
      function* use(chunk) {
        for (const event of parser.read(chunk)) {
          if (event === 'end of part') part?.end().catch(body.fail);
          else if ('part' in event) part = open(event.part);
          else {
            const written = part?.write(event.piece);
            if (written) yield written;
          }
        }
      },
      { totalMs },
    );
    await body.ended;
    parser.end();
  } catch (error) {
    throw error instanceof FormError ? malformed(error.message) : error;
  }
}

const malformed = (reason: string) => invalid('body', `malformed multipart/form-data (${reason})`);

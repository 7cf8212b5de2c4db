// Reads the JSON of a render. That of a large request is read in the cell, which keeps the document apart: the service neither parses nor
// holds it.
import { hash } from 'node:crypto';
import type { Made } from '#cell/work.ts';
import type { SentDocument } from '#browser/job.ts';
import { RenderRequest } from '#api/v2/schemas.ts';
import { parseJson } from '#http/body/json-body.ts';
import { limitStructure } from '#http/body/json-structure.ts';
import { validateGiven } from '#http/body/validate.ts';

/** A request with every field at its limit has less than 2,000. */
const mostMarks = 10_000;

export interface ReadRequest {
  /** As the client sent it. */
  given: RenderRequest;
  /** Equal for equal requests, however they are spaced. */
  digest: string;
}

interface LargeFacts extends ReadRequest {
  /** Not in `given`, but the bytes that were made. */
  document?: Pick<SentDocument, 'kind'> & { sha256: string };
}

/** `field` is where the JSON was sent: the body, or a part of a form. */
export function readRequest(sent: Buffer, { field }: { field: string }): ReadRequest {
  limitStructure(sent, mostMarks);
  const given = validateGiven(RenderRequest, parseJson(sent, { holdsSecrets: true, field }));
  return { given, digest: hash('sha256', JSON.stringify(given)) };
}

export function readLargeRequest(sent: Buffer, options: { field: string }): Made<LargeFacts> {
  const { given, digest } = readRequest(sent, options);
  const kind = (['html', 'markdown'] as const).find((name) => given[name] !== undefined);
  if (!kind) return { facts: { given, digest } };
  const { [kind]: text = '', ...rest } = given;
  const bytes = Buffer.from(text);
  return { bytes, facts: { given: rest, digest, document: { kind, sha256: hash('sha256', bytes) } } };
}

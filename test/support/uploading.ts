// Uploads for the suites: one call, the parsed result, and its paths on the test's own port.
import assert from 'node:assert/strict';
import type { UploadResult } from '#api/v1/schemas.ts';
import * as images from '#test/support/images.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';

export interface Uploaded extends UploadResult {
  /** The delete URL on the test's own port. */
  deleteAt: string;
  fileAt: string;
  pageAt: string;
}

export async function uploadOne(
  origin: string,
  key: string,
  {
    bytes,
    filename = 'a.png',
    fields = {},
  }: { bytes?: Buffer; filename?: string; fields?: Record<string, string> } = {},
): Promise<Uploaded> {
  const { status, body } = await post<UploadResult>(`${origin}/api/v1/upload`, {
    body: formOf([[bytes ?? (await images.png()), filename]], fields),
    headers: bearer(key),
  });
  assert.equal(status, 201, JSON.stringify(body));
  const here = (url: string): string => origin + url.slice(new URL(url).origin.length);
  return { ...body, deleteAt: here(body.delete_url), fileAt: here(body.file_url), pageAt: here(body.url) };
}

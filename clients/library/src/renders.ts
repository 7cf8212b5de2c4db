// Renders by version 2 of the interface: make, read, list and delete.
import { callOf, type CallOptions } from './call-options.ts';
import {
  renderFileBytes,
  renderTimeoutsMs,
  type OutputOptions,
  type Render,
  type RenderList,
  type RenderRequest,
} from './contract.ts';
import { loadFile, type FileInput } from './files.ts';
import { encodeForm } from './form.ts';
import { toSnake } from './letter-case.ts';
import type { Listing, Loose, RenderBytes, RenderListOptions, WithMeta } from './options.ts';
import { at, listAt, removeAt, repeatable, resultAt } from './rest.ts';
import { anyFileOf, badAnswer, bytesOf, resultOf } from './results.ts';
import { send, type Sender } from './send.ts';

/** Exactly one of `url`, `html` and `markdown`. One output's fields stand here; `outputs` takes several of the same load. */
export type RenderFields = Loose<Omit<RenderRequest, 'url' | 'outputs' | 'response'>> & {
  url?: string | URL | undefined;
  outputs?: Loose<OutputOptions>[] | undefined;
};

export interface RenderCallOptions extends CallOptions {
  /** Files that the document of `html` or `markdown` finds under their relative names: `{ filename: 'img/logo.png', data }`. */
  files?: Iterable<FileInput> | undefined;
}

export interface RenderReadOptions extends CallOptions {
  /** How long the service may wait for the end of a queued render: 0 to 30, default 0. */
  waitSeconds?: number | undefined;
}

/** What the headers of a file say about the page. */
export interface RenderFile extends RenderBytes {
  /** The HTTP status of the page; undefined for a document of the request. */
  pageStatus: number | undefined;
  /** How many warnings the receipt has; `getRender` reads it. */
  warnings: number;
}

const path = '/api/v2/renders';
/** The service answers no later than this, even if the render has not ended. */
const longestWaitSeconds = 30;

export async function makeRender(
  sender: Sender,
  { response, ...fields }: RenderFields & { response?: 'file' | 'json' | undefined },
  { files, ...options }: RenderCallOptions,
): Promise<WithMeta<RenderFile | Render>> {
  const { url, ...rest } = fields;
  const request = JSON.stringify({
    ...(url !== undefined && { url: String(url) }),
    ...(toSnake({ ...rest, response }) as object),
  });
  const loaded = await Promise.all(Array.from(files ?? [], (file) => loadFile(file, renderFileBytes)));
  const form = loaded.length === 0 ? undefined : encodeForm(loaded, { request });
  const answer = await send(sender, {
    path,
    body: form?.body ?? request,
    contentType: form?.contentType ?? 'application/json',
    ...callOf(sender, options, renderTimeoutsMs.render),
  });
  if (response === 'json' || fields.async === true)
    return { ...(resultOf(answer) as Render), meta: answer.meta };
  // The page of a proxy has none.
  if (!answer.headers.has('x-service-id')) throw badAnswer(answer);
  const count = (name: string): number | undefined => {
    const value = answer.headers.get(name);
    return value === null ? undefined : Number(value);
  };
  return {
    ...bytesOf(answer, anyFileOf),
    pageStatus: count('x-service-page-status'),
    warnings: count('x-service-warnings') ?? 0,
  };
}

export function readRender(
  sender: Sender,
  id: string,
  { waitSeconds = 0, ...options }: RenderReadOptions,
): Promise<WithMeta<Render>> {
  return resultAt(sender, {
    method: 'GET',
    path: at(path, id) + (waitSeconds > 0 ? `?wait=${waitSeconds}` : ''),
    ...repeatable(sender, options, waitSeconds * 1000),
  });
}

/** Asks again and again, each time for as long as the service lets a request wait. */
export async function awaitRender(
  sender: Sender,
  id: string,
  options: CallOptions,
): Promise<WithMeta<Render>> {
  for (;;) {
    const render = await readRender(sender, id, { ...options, waitSeconds: longestWaitSeconds });
    if (render.finishedAt !== null) return render;
  }
}

export const listAllRenders = (sender: Sender, options: RenderListOptions): Listing<RenderList> =>
  listAt(sender, path, options);

export const removeRender = (sender: Sender, id: string, options: CallOptions): Promise<void> =>
  removeAt(sender, { method: 'DELETE', path: at(path, id) }, options);

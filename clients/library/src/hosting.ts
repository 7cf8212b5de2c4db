// Uploads, albums and upload links by version 2 of the interface.
import { callOf, type CallOptions } from './call-options.ts';
import type {
  Album,
  AlbumChanges,
  AlbumList,
  NewAlbum,
  NewUploadLink,
  Upload,
  UploadChanges,
  UploadFromUrl,
  UploadLink,
  UploadLinkList,
  UploadList,
} from './contract.ts';
import { loadFile, type FileInput } from './files.ts';
import { encodeForm } from './form.ts';
import { toSnake } from './letter-case.ts';
import type {
  Listing,
  Loose,
  PageOptions,
  RunItem,
  RunOptions,
  UploadListOptions,
  WithMeta,
} from './options.ts';
import { at, changeAt, createAt, listAt, readAt, removeAt, repeatable, resultAt } from './rest.ts';
import { runMany } from './run-many.ts';
import type { Sender } from './send.ts';
import type { Progress } from './upload-batch.ts';

/** What an upload of version 2 can say beside its file. */
export type UploadFields = Loose<Omit<UploadFromUrl, 'url'>>;

/** A file, or the public address of one, which the service fetches. */
export type UploadSource = FileInput | { url: string | URL };

export interface NewUploadOptions extends UploadFields, CallOptions {
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** One of many uploads, with fields of its own. */
export type UploadWithFields = { file: UploadSource } & NewUploadOptions;

/** The response to an upload is the only one that has its delete link. */
export type NewUpload = Upload & { deleteUrl: string };

export const uploadMs = 300_000;
const uploadsAtOnce = 4;

export class Uploads {
  readonly #sender: Sender;
  readonly #path = '/api/v2/uploads';

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Stores one image, of which the service removes place, camera and the like unless `stripMetadata` is false.
   *
   * @example
   * const { id, url } = await tintype.uploads.create('photo.jpg', { title: 'Harbour', tags: ['sea'], maxViews: 10 });
   * await tintype.uploads.create({ url: 'https://example.com/logo.png' });
   * @throws {TintypeError}
   */
  create(file: UploadSource, options: NewUploadOptions = {}): Promise<WithMeta<NewUpload>> {
    return createUpload(this.#sender, this.#path, file, options);
  }

  /** Stores many images, by default four at once, and yields each outcome as soon as it is known. */
  createAll<Source extends UploadSource | UploadWithFields>(
    files: Iterable<Source>,
    {
      concurrency = uploadsAtOnce,
      onWait,
      ...options
    }: Omit<NewUploadOptions, 'idempotencyKey' | 'onProgress'> & RunOptions = {},
  ): AsyncGenerator<RunItem<Source, WithMeta<NewUpload>>> {
    const run = { concurrency, onWait, signal: options.signal };
    return runMany(this.#sender, files, run, (sender, source, signal) => {
      const given: UploadSource | UploadWithFields = source;
      const { file, ...own } = isWithFields(given) ? given : { file: given };
      return createUpload(sender, this.#path, file, { ...options, ...own, signal });
    });
  }

  /** A page of uploads, the newest first; `for await` over it gives those of all pages. */
  list(options: UploadListOptions = {}): Listing<UploadList> {
    return listAt(this.#sender, this.#path, options);
  }

  get(id: string, options: CallOptions = {}): Promise<WithMeta<Upload>> {
    return readAt(this.#sender, at(this.#path, id), options);
  }

  /** Changes what is given; null takes a title, album, password, expiry or limit away. */
  edit(id: string, changes: Loose<UploadChanges>, options: CallOptions = {}): Promise<WithMeta<Upload>> {
    return changeAt(this.#sender, at(this.#path, id), changes, options);
  }

  /** Ends the links. `restore` undoes it for as long as the dashboard does. */
  delete(id: string, options: CallOptions = {}): Promise<void> {
    return removeAt(this.#sender, { method: 'DELETE', path: at(this.#path, id) }, options);
  }

  async restore(id: string, options: CallOptions = {}): Promise<WithMeta<Upload>> {
    const path = `${at(this.#path, id)}/restore`;
    return resultAt(this.#sender, { path, ...repeatable(this.#sender, options) });
  }
}

const isWithFields = (source: UploadSource | UploadWithFields): source is UploadWithFields =>
  typeof source === 'object' && source !== null && 'file' in source;

const isAddress = (source: UploadSource): source is { url: string | URL } =>
  typeof source === 'object' && source !== null && 'url' in source;

async function createUpload(
  sender: Sender,
  path: string,
  file: UploadSource,
  options: NewUploadOptions,
): Promise<WithMeta<NewUpload>> {
  const {
    signal: _signal,
    timeoutMs: _timeoutMs,
    idempotencyKey: _key,
    maxRetries: _retries,
    ...rest
  } = options;
  const { onProgress, ...given } = rest;
  const call = { path, ...callOf(sender, options, uploadMs) };
  const fields = toSnake(given) as Record<string, string | number | boolean | string[] | undefined>;
  if (isAddress(file)) {
    const body = JSON.stringify({ url: String(file.url), ...fields });
    return resultAt(sender, { ...call, body, contentType: 'application/json' });
  }
  const loaded = await loadFile(file);
  const form = encodeForm([loaded], fields);
  const totalBytes = loaded.blob.size;
  return resultAt(sender, {
    ...call,
    ...form,
    onSent:
      onProgress &&
      ((sent) => onProgress({ sentBytes: Math.round((sent / form.body.size) * totalBytes), totalBytes })),
  });
}

/** One link for many uploads, which outlive it. `album` of an upload puts it in. */
export class Albums {
  readonly #sender: Sender;
  readonly #path = '/api/v2/albums';

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  create(fields: Loose<NewAlbum> = {}, options: CallOptions = {}): Promise<WithMeta<Album>> {
    return createAt(this.#sender, this.#path, fields, options);
  }

  /** A page of albums, the newest first; `for await` over it gives those of all pages. */
  list(options: PageOptions = {}): Listing<AlbumList> {
    return listAt(this.#sender, this.#path, options);
  }

  get(id: string, options: CallOptions = {}): Promise<WithMeta<Album>> {
    return readAt(this.#sender, at(this.#path, id), options);
  }

  edit(id: string, changes: Loose<AlbumChanges>, options: CallOptions = {}): Promise<WithMeta<Album>> {
    return changeAt(this.#sender, at(this.#path, id), changes, options);
  }

  /** Ends the link; the uploads stay. */
  delete(id: string, options: CallOptions = {}): Promise<void> {
    return removeAt(this.#sender, { method: 'DELETE', path: at(this.#path, id) }, options);
  }
}

/** Addresses through which others upload for the account; whoever has one may. */
export class UploadLinks {
  readonly #sender: Sender;
  readonly #path = '/api/v2/upload_links';

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /** The only response with the `url` and the `token`. */
  create(
    fields: Loose<NewUploadLink> = {},
    options: CallOptions = {},
  ): Promise<WithMeta<UploadLink & { url: string; token: string }>> {
    return createAt(this.#sender, this.#path, fields, options);
  }

  /** A page of links, the newest first; `for await` over it gives those of all pages. */
  list(options: PageOptions = {}): Listing<UploadLinkList> {
    return listAt(this.#sender, this.#path, options);
  }

  get(id: string, options: CallOptions = {}): Promise<WithMeta<UploadLink>> {
    return readAt(this.#sender, at(this.#path, id), options);
  }

  /** Ends the link; what came through it stays. */
  delete(id: string, options: CallOptions = {}): Promise<void> {
    return removeAt(this.#sender, { method: 'DELETE', path: at(this.#path, id) }, options);
  }
}

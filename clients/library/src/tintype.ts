// The client: one method per endpoint, and runs of many. Spec 4.
import type { BatchResult } from './batch-result.ts';
import {
  callOf,
  checkApiKey,
  checkBaseUrl,
  checkLimits,
  fromEnvironment,
  type CallOptions,
} from './call-options.ts';
import { realClock } from './clock.ts';
import {
  renderTimeoutsMs,
  type AccountRenders,
  type AccountUploads,
  type AccountUsage,
  type PdfMetadata,
  type Render,
  type RenderList,
  type ScreenshotMetadata,
  type UploadResult,
  type Usage,
} from './contract.ts';
import { loadFile, type FileInput } from './files.ts';
import { encodeForm } from './form.ts';
import { Albums, UploadLinks, uploadMs, Uploads } from './hosting.ts';
import { toSnake } from './letter-case.ts';
import { deletePath, filePath } from './links.ts';
import type { Meta } from './meta.ts';
import type {
  BatchOptions,
  HostedFile,
  Listing,
  AccountRendersOptions,
  AccountUploadsOptions,
  PdfOptions,
  RenderBytes,
  RenderListOptions,
  RunItem,
  RunOptions,
  ScreenshotOptions,
  TintypeOptions,
  UploadOptions,
  WithMeta,
} from './options.ts';
import {
  awaitRender,
  listAllRenders,
  makeRender,
  readRender,
  removeRender,
  type RenderCallOptions,
  type RenderFields,
  type RenderFile,
  type RenderReadOptions,
} from './renders.ts';
import { badAnswer, bytesOf, fileOf, resultOf } from './results.ts';
import { listAt, readAt, removeAt } from './rest.ts';
import { runMany } from './run-many.ts';
import { isBatchBody, send, type Sender } from './send.ts';
import { makeLink, type LinkFields } from './sign-link.ts';
import { uploadInBatches } from './upload-batch.ts';

const timeoutsMs = { upload: uploadMs, ...renderTimeoutsMs };
/** More renders than the largest plan allows at once. Uploads have no cap, but a few use the whole bandwidth. */
const ceilings = { renders: 100, uploads: 4 };

type Url = string | URL;
type Page<Options> = Url | (Options & { url: Url });

/**
 * The client of a Tintype service.
 *
 * @example
 * const tintype = new Tintype(); // uses TINTYPE_URL and TINTYPE_API_KEY
 * const { url } = await tintype.upload('photo.jpg', { expiresIn: 86_400 });
 */
export class Tintype {
  /** Version 2's uploads: with title, tags, album, password and more; found, changed, deleted and restored by id. */
  readonly uploads: Uploads;
  readonly albums: Albums;
  readonly uploadLinks: UploadLinks;
  readonly #sender: Sender;

  /** @throws {TypeError} that names an invalid option. Nothing is sent. */
  constructor(options: TintypeOptions = {}) {
    const { maxRetries = 4, timeoutMs, onRetry, wireNames = false, fetch, clock = realClock } = options;
    checkLimits(options);
    this.#sender = {
      baseUrl: checkBaseUrl(options.baseUrl ?? fromEnvironment('TINTYPE_URL')),
      apiKey: checkApiKey(options.apiKey ?? fromEnvironment('TINTYPE_API_KEY')),
      maxRetries,
      timeoutMs,
      onRetry,
      wireNames,
      fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)),
      clock,
    };
    this.uploads = new Uploads(this.#sender);
    this.albums = new Albums(this.#sender);
    this.uploadLinks = new UploadLinks(this.#sender);
  }

  /**
   * Stores one image and returns its links.
   *
   * @example
   * const { url, fileUrl, deleteUrl } = await tintype.upload({ data: bytes, filename: 'chart.png' });
   * @throws {TintypeError}
   */
  async upload(file: FileInput, options: UploadOptions = {}): Promise<WithMeta<UploadResult>> {
    const { expiresIn, onProgress } = options;
    const call = callOf(this.#sender, options, timeoutsMs.upload);
    const loaded = await loadFile(file);
    const { body, contentType } = encodeForm([loaded], { expires_in: expiresIn });
    const totalBytes = loaded.blob.size;
    const answer = await send(this.#sender, {
      path: '/api/v1/upload',
      body,
      contentType,
      ...call,
      onSent:
        onProgress &&
        ((sent) => onProgress({ sentBytes: Math.round((sent / body.size) * totalBytes), totalBytes })),
    });
    return { ...(resultOf(answer) as UploadResult), meta: answer.meta };
  }

  /**
   * Stores any number of images. More than the service accepts at once are sent as several batches, in order.
   *
   * @throws {TintypeError} with the known outcomes in `partial`.
   */
  async uploadBatch(
    files: Iterable<FileInput>,
    options: BatchOptions = {},
  ): Promise<BatchResult & { meta: Meta | undefined }> {
    const call = callOf(this.#sender, options, timeoutsMs.upload);
    return uploadInBatches(
      files,
      async (batch, turn, onPart) => {
        const { body, contentType } = encodeForm(batch, { expires_in: options.expiresIn });
        const answer = await send(this.#sender, {
          path: '/api/v1/upload/batch',
          body,
          contentType,
          ...call,
          idempotencyKey: `${call.idempotencyKey}-${turn}`,
          onSent: onPart && ((sent) => onPart(sent / body.size)),
        });
        if (!isBatchBody(answer.json)) throw badAnswer(answer);
        return { items: (resultOf(answer) as BatchResult).items, meta: answer.meta };
      },
      { onProgress: options.onProgress, onItem: options.onItem },
    );
  }

  /**
   * Deletes an upload by its result or its delete link. This needs no key, and none is sent.
   *
   * @throws {TintypeError} `not_found` if it is already gone or the link is wrong.
   */
  async delete(upload: string | Pick<UploadResult, 'deleteUrl'>, options: CallOptions = {}): Promise<void> {
    const path = deletePath(typeof upload === 'string' ? upload : upload?.deleteUrl);
    await removeAt(this.#sender, { path, isOpen: true }, options);
  }

  /**
   * Captures a page: as bytes, or with `response: 'json'` as metadata with the link of the hosted image.
   *
   * @example
   * const { bytes } = await tintype.screenshot('https://example.com', { fullPage: true, format: 'webp' });
   * @throws {TintypeError}
   */
  screenshot(
    url: Url,
    options: ScreenshotOptions & { response: 'json' },
  ): Promise<WithMeta<ScreenshotMetadata>>;
  screenshot(
    url: Url,
    options?: ScreenshotOptions & { response?: 'image' | undefined },
  ): Promise<WithMeta<RenderBytes>>;
  screenshot(
    url: Url,
    options?: ScreenshotOptions & { response?: 'image' | 'json' | undefined },
  ): Promise<WithMeta<RenderBytes | ScreenshotMetadata>>;
  screenshot(url: Url, options: ScreenshotOptions & { response?: string | undefined } = {}) {
    return this.#render<ScreenshotMetadata>('screenshot', url, options);
  }

  /**
   * Prints a page to PDF: as bytes, or with `response: 'json'` as metadata with the link of the hosted document.
   *
   * @example
   * const { bytes } = await tintype.pdf('https://example.com', { paperFormat: 'a4', margin: { top: '2cm' } });
   * @throws {TintypeError}
   */
  pdf(url: Url, options: PdfOptions & { response: 'json' }): Promise<WithMeta<PdfMetadata>>;
  pdf(url: Url, options?: PdfOptions & { response?: 'pdf' | undefined }): Promise<WithMeta<RenderBytes>>;
  pdf(
    url: Url,
    options?: PdfOptions & { response?: 'pdf' | 'json' | undefined },
  ): Promise<WithMeta<RenderBytes | PdfMetadata>>;
  pdf(url: Url, options: PdfOptions & { response?: string | undefined } = {}) {
    return this.#render<PdfMetadata>('pdf', url, options);
  }

  /**
   * Renders a page, or HTML or Markdown of your own, by version 2 of the interface: as the bytes of one output, or with
   * `response: 'json'` as a receipt with the links of all of them. With `async: true` it is queued: the receipt comes at once, and
   * `waitForRender` waits for its end.
   *
   * @example
   * const { bytes } = await tintype.render({ url: 'https://example.com', format: 'webp', colorScheme: 'dark' });
   * const { outputs } = await tintype.render({
   *   html: '<h1>Invoice</h1><img src="logo.png">',
   *   outputs: [{ format: 'pdf' }, { format: 'png', selector: 'h1' }],
   *   response: 'json',
   * }, { files: ['logo.png'] });
   * @throws {TintypeError}
   */
  render(
    fields: RenderFields & ({ response: 'json' } | { async: true; response?: 'file' | undefined }),
    options?: RenderCallOptions,
  ): Promise<WithMeta<Render>>;
  render(
    fields: RenderFields & { response?: 'file' | undefined; async?: false | undefined },
    options?: RenderCallOptions,
  ): Promise<WithMeta<RenderFile>>;
  render(
    fields: RenderFields & { response?: 'file' | 'json' | undefined },
    options: RenderCallOptions = {},
  ): Promise<WithMeta<Render | RenderFile>> {
    return makeRender(this.#sender, fields, options);
  }

  /** The receipt of a render: what it made, what failed to load, where the time went. Costs no unit. */
  getRender(id: string, options: RenderReadOptions = {}): Promise<WithMeta<Render>> {
    return readRender(this.#sender, id, options);
  }

  /**
   * The receipt of a queued render when it has ended, however long that takes; a `signal` ends the wait. Its `state` is `succeeded`,
   * `failed` or `canceled`.
   *
   * @example
   * const { id } = await tintype.render({ url: 'https://example.com', format: 'pdf', async: true });
   * const { state, outputs } = await tintype.waitForRender(id);
   */
  waitForRender(id: string, options: CallOptions = {}): Promise<WithMeta<Render>> {
    return awaitRender(this.#sender, id, options);
  }

  /** A page of the account's receipts, the newest first; `for await` over it gives those of all pages. Costs no unit. */
  getRenders(options: RenderListOptions = {}): Listing<RenderList> {
    return listAllRenders(this.#sender, options);
  }

  /** Cancels a render that waits or runs; deletes one that has ended, with its hosted files. */
  deleteRender(id: string, options: CallOptions = {}): Promise<void> {
    return removeRender(this.#sender, id, options);
  }

  /**
   * A link that renders when somebody opens it, at most once for each `maxAge`. The service signs it; `signLink` does so without it.
   *
   * @example
   * const src = await tintype.link({ url: 'https://example.com/', maxAge: 3600 });
   */
  link(fields: LinkFields, options: CallOptions = {}): Promise<string> {
    return makeLink(this.#sender, fields, options);
  }

  /** Captures a page and returns the link of the hosted image. */
  async screenshotLink(url: Url, options: ScreenshotOptions = {}): Promise<string> {
    return (await this.screenshot(url, { ...options, response: 'json' })).url;
  }

  /** Prints a page and returns the link of the hosted document. */
  async pdfLink(url: Url, options: PdfOptions = {}): Promise<string> {
    return (await this.pdf(url, { ...options, response: 'json' })).url;
  }

  /**
   * Captures many pages, as many at once as the plan allows, and yields each outcome as soon as it is known, in any order. If the request
   * budget is spent, it waits. A refused key or a used-up quota ends the run with its error. With `response: 'json'` the images are hosted,
   * and each result is metadata with the link.
   *
   * @example
   * for await (const item of tintype.screenshotAll(urls, { format: 'webp' })) {
   *   if (item.ok) await writeFile(`${item.result.id}.webp`, item.result.bytes);
   *   else console.error(item.source, item.error.message);
   * }
   */
  screenshotAll<Source extends Page<ScreenshotOptions>>(
    pages: Iterable<Source>,
    options: Omit<ScreenshotOptions, 'idempotencyKey'> & RunOptions & { response: 'json' },
  ): AsyncGenerator<RunItem<Source, WithMeta<ScreenshotMetadata>>>;
  screenshotAll<Source extends Page<ScreenshotOptions>>(
    pages: Iterable<Source>,
    options?: Omit<ScreenshotOptions, 'idempotencyKey'> & RunOptions & { response?: 'image' | undefined },
  ): AsyncGenerator<RunItem<Source, WithMeta<RenderBytes>>>;
  screenshotAll<Source extends Page<ScreenshotOptions>>(
    pages: Iterable<Source>,
    options: Omit<ScreenshotOptions, 'idempotencyKey'> & RunOptions & { response?: string | undefined } = {},
  ) {
    return this.#renderAll<Source, ScreenshotMetadata>('screenshot', pages, options);
  }

  /** Prints many pages, like `screenshotAll`. */
  pdfAll<Source extends Page<PdfOptions>>(
    pages: Iterable<Source>,
    options: Omit<PdfOptions, 'idempotencyKey'> & RunOptions & { response: 'json' },
  ): AsyncGenerator<RunItem<Source, WithMeta<PdfMetadata>>>;
  pdfAll<Source extends Page<PdfOptions>>(
    pages: Iterable<Source>,
    options?: Omit<PdfOptions, 'idempotencyKey'> & RunOptions & { response?: 'pdf' | undefined },
  ): AsyncGenerator<RunItem<Source, WithMeta<RenderBytes>>>;
  pdfAll<Source extends Page<PdfOptions>>(
    pages: Iterable<Source>,
    options: Omit<PdfOptions, 'idempotencyKey'> & RunOptions & { response?: string | undefined } = {},
  ) {
    return this.#renderAll<Source, PdfMetadata>('pdf', pages, options);
  }

  /** Stores many images, by default four at once, and yields each outcome as soon as it is known. */
  uploadAll<Source extends FileInput>(
    files: Iterable<Source>,
    {
      concurrency = ceilings.uploads,
      ...options
    }: Omit<UploadOptions, 'idempotencyKey' | 'onProgress'> & RunOptions = {},
  ): AsyncGenerator<RunItem<Source, WithMeta<UploadResult>>> {
    return runMany(this.#sender, files, { ...options, concurrency }, (sender, file, signal) =>
      new Tintype(sender).upload(file, { ...options, signal }),
    );
  }

  /**
   * The bytes of a hosted file, by its link: the `fileUrl` of an upload or the `url` of a hosted render. Needs no key, and costs nothing.
   *
   * @throws {TintypeError} `not_found` if it was deleted or has expired.
   */
  async download(link: Url, options: CallOptions = {}): Promise<WithMeta<HostedFile>> {
    const { idempotencyKey: _key, ...call } = callOf(this.#sender, options, timeoutsMs.upload);
    const answer = await send(this.#sender, { method: 'GET', path: filePath(link), isOpen: true, ...call });
    return fileOf(answer);
  }

  /** The account's plan, its usage this month, its request budget and the key of this client. Costs no unit. */
  async usage(options: CallOptions = {}): Promise<WithMeta<AccountUsage>> {
    return readAt(this.#sender, '/api/account/usage', options);
  }

  /** Version 2's usage: the units of this month, the request budget, and the renders at this moment. Costs no unit. */
  getUsage(options: CallOptions = {}): Promise<WithMeta<Usage>> {
    return readAt(this.#sender, '/api/v2/usage', options);
  }

  /** A page of the account's uploads, the newest first; `for await` over it gives those of all pages. Costs no unit. */
  listUploads(options: AccountUploadsOptions = {}): Listing<AccountUploads> {
    return listAt(this.#sender, '/api/account/uploads', options);
  }

  /** A page of the account's renders, the newest first; `for await` over it gives those of all pages. Costs no unit. */
  listRenders(options: AccountRendersOptions = {}): Listing<AccountRenders> {
    return listAt(this.#sender, '/api/account/renders', options);
  }

  async #render<Metadata extends object>(
    kind: 'screenshot' | 'pdf',
    url: Url,
    options: CallOptions & { response?: string | undefined },
  ): Promise<WithMeta<RenderBytes | Metadata>> {
    const {
      signal: _signal,
      timeoutMs: _ms,
      idempotencyKey: _key,
      maxRetries: _retries,
      ...fields
    } = options;
    const answer = await send(this.#sender, {
      path: `/api/v1/${kind}`,
      body: JSON.stringify({ url: String(url), ...(toSnake(fields) as object) }),
      contentType: 'application/json',
      ...callOf(this.#sender, options, timeoutsMs[kind]),
    });
    if (options.response !== 'json') return bytesOf(answer);
    return { ...(resultOf(answer) as Metadata), meta: answer.meta };
  }

  #renderAll<Source extends Page<CallOptions>, Metadata extends object>(
    kind: 'screenshot' | 'pdf',
    pages: Iterable<Source>,
    {
      concurrency = ceilings.renders,
      onWait,
      ...options
    }: CallOptions & RunOptions & { response?: string | undefined },
  ) {
    if (typeof pages === 'string') throw new TypeError(`${kind}All takes a list of pages, not one address`);
    const run = { concurrency, onWait, signal: options.signal };
    return runMany(this.#sender, pages, run, (sender, page, signal) => {
      const given: Page<CallOptions> = page;
      const { url, ...own } = typeof given === 'string' || given instanceof URL ? { url: given } : given;
      return new Tintype(sender).#render<Metadata>(kind, url, { ...options, ...own, signal });
    });
  }
}

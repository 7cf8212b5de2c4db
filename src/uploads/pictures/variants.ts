// Finds a variant of a stored picture, or makes and stores it. Each is made once; one that cannot be made is not tried again for an hour,
// and nor is any other of a picture that the decoder refuses. The blobs lie next to the original and are deleted with it. v2 3.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { createBoundedMap } from '#core/bounded-map.ts';
import type { Clock } from '#core/clock.ts';
import { ServiceError } from '#core/errors.ts';
import { variantKey } from '#core/ids.ts';
import type { Dimensions } from '#core/image-header.ts';
import { limits } from '#core/limits.ts';
import { wholeRange, type Blobs } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import type { VariantRow } from '#storage/schema.ts';
import { RenderFailure, type RenderedFile } from '#browser/browser.ts';
import { imageSize } from '#browser/page/picture/image-size.ts';
import { maxPicturePixels, PictureDeclined, sizeToMake, type DeclineReason } from '#browser/picture-job.ts';
import type { PictureMaker } from '#uploads/pictures/picture-maker.ts';
import {
  chooseVariant,
  drawnSide,
  isDrawn,
  maxOriginalBytes,
  variantTypes,
  type Original,
  type Variant,
  type VariantFormat,
  type Wanted,
} from '#uploads/pictures/variant.ts';

/** A stored variant. */
export interface MadeVariant {
  key: string;
  format: VariantFormat;
  contentType: string;
  sizeBytes: number;
  sha256: string;
  createdAt: number;
}

/** Who asks. The account itself, in the dashboard, has no networks and no signal. */
export interface Asker {
  /** The largest first: visitors take turns by network. */
  networks: readonly string[];
  /** Aborted when the client has gone. */
  signal?: AbortSignal;
  /** Counts a variant that has to be made; throws if there were too many. */
  count?: () => void;
}
const theAccount: Asker = { networks: ['the account'] };

interface Job {
  made: Promise<VariantRow | undefined>;
  /** Requests that wait for it. */
  asking: number;
  left: AbortController;
}

export type Variants = ReturnType<typeof createVariants>;

const failureMs = 60 * 60 * 1000;
const pictureMs = 30_000;
/** An SVG can say in one line what takes an hour to draw. Two accounts with such drawings must not keep others' pictures waiting. */
const drawingMs = 5_000;
/** In memory: a look-up of the row would make a variant a third slower to serve than a file. */
const keptVariants = 10_000;

export function createVariants(parts: {
  database: Database;
  blobs: Blobs;
  pictureMaker: PictureMaker;
  clock: Clock;
}) {
  const { database, blobs, pictureMaker, clock } = parts;
  const table = database.tables.variants;
  /** What is made does not change, and whether its original still resolves is decided before. */
  const kept = createBoundedMap<string, MadeVariant>(keptVariants);
  const underWay = new Map<string, Job>();

  /** What is known of the variant, or of all variants of the picture. */
  async function known(key: string, original: Original): Promise<VariantRow | undefined> {
    const rows = await table.byKeys([key, original.key]);
    const row = rows.find((candidate) => candidate.key === key) ?? rows[0];
    return row?.failure && row.created_at <= clock.now() - failureMs ? undefined : row;
  }

  async function make(
    key: string,
    original: Original,
    { width = null, format }: { width?: number | null | undefined; format: VariantFormat },
    { networks, signal }: { networks: readonly string[]; signal: AbortSignal },
  ): Promise<VariantRow | undefined> {
    const { accountId, sizeBytes, contentType, size = null } = original;
    const isDrawing = isDrawn(contentType);
    const timeoutMs = isDrawing ? drawingMs : pictureMs;
    const open = () => blobs.open(original.key, wholeRange(sizeBytes), accountId);
    const task = { original: { open }, contentType, size, width, format, isDrawing, timeoutMs };
    const row = {
      key,
      owner_id: original.ownerId,
      account_id: accountId,
      size_bytes: null,
      sha256: null,
      failure: null,
      created_at: clock.now(),
    };
    try {
      // What cannot be made is not begun.
      const wanted = size && sizeToMake(size, task);
      await using made = await pictureMaker.make({ accountId, networks, task, signal });
      return await store(row, made.outputs[0]!, format, wanted);
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      if (error instanceof RenderFailure && error.reason === 'aborted') throw busy();
      // Smaller variants take less of both. A stranger who asks for the largest must not take them from everyone.
      const reason = error instanceof PictureDeclined ? error.reason : 'over_limits';
      if (reason === 'gone') return undefined;
      const failure = failures[reason]?.(format) ?? null;
      return record({ ...row, key: isOfPicture.has(reason) ? original.key : key, failure });
    }
  }

  /** The worker that decoded a hostile picture may have been taken over by it, and what it made is served under our name. */
  async function store(
    row: VariantRow,
    { path, sizeBytes }: RenderedFile,
    format: VariantFormat,
    wanted: Dimensions | null,
  ): Promise<VariantRow | undefined> {
    if (sizeBytes > limits.fileBytes) throw new PictureDeclined('too_large');
    await using file = await blobs.adopt({ path, sizeBytes }, row.account_id);
    using opened = await file.open();
    const bytes = Buffer.concat((await opened.stream.toArray()) as Buffer[]);
    const size = imageSize(bytes, format);
    if (!size || (wanted && !isDeepStrictEqual({ ...size }, wanted)))
      throw new PictureDeclined('over_limits');
    await file.commit(row.key);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const recorded = await record({ ...row, size_bytes: sizeBytes, sha256 });
    if (!recorded) await blobs.delete(row.key);
    return recorded;
  }

  /** Undefined if the original was deleted in the meantime. */
  const record = async (row: VariantRow): Promise<VariantRow | undefined> =>
    (await table.record(row)) ? row : undefined;

  /** Those who ask for the same variant wait for the same job, which leaves the line when all of them have gone. */
  async function ask(key: string, original: Original, variant: Variant, asker: Asker) {
    const job = underWay.get(key) ?? begin(key, original, variant, asker);
    const leave = (): void => {
      job.asking -= 1;
      if (job.asking === 0) job.left.abort(new ServiceError('rate_limited', 'Everyone who asked has gone.'));
    };
    job.asking += 1;
    asker.signal?.addEventListener('abort', leave);
    if (asker.signal?.aborted) leave();
    try {
      return await job.made;
    } finally {
      asker.signal?.removeEventListener('abort', leave);
    }
  }

  function begin(key: string, original: Original, variant: Variant, { networks, count }: Asker): Job {
    count?.();
    const left = new AbortController();
    const made = make(key, original, variant, { networks, signal: left.signal }).finally(() =>
      underWay.delete(key),
    );
    const job = { made, asking: 0, left };
    underWay.set(key, job);
    return job;
  }

  /** Null if the original is to be served. Undefined if it is gone. */
  async function find(
    original: Original,
    variant: Variant,
    asker: Asker,
  ): Promise<MadeVariant | null | undefined> {
    if (original.sizeBytes > maxOriginalBytes) throw unmade(`it has more than ${maxOriginalBytes} bytes`);
    const key = variantKey(original.key, variant);
    const before = kept.get(key);
    if (before) return before;
    const row = (await known(key, original)) ?? (await ask(key, original, variant, asker));
    if (!row) return undefined;
    if (row.failure !== null) throw unmade(row.failure);
    if (row.size_bytes === null || row.sha256 === null) return null;
    const { format } = variant;
    const { size_bytes: sizeBytes, sha256, created_at: createdAt } = row;
    const made = { key, format, contentType: variantTypes[format], sizeBytes, sha256, createdAt };
    kept.set(key, made);
    return made;
  }

  return {
    /** Null if the original is to be served. Undefined if it is gone. */
    async get(
      original: Original,
      wanted: Wanted,
      asker = theAccount,
    ): Promise<MadeVariant | null | undefined> {
      const variant = chooseVariant(original, wanted);
      return variant && find(original, variant, asker);
    },
    /** A picture of an SVG, for those who do not show SVGs. Undefined if it is gone, or is another type. */
    async drawn(original: Original, asker = theAccount): Promise<MadeVariant | undefined> {
      if (!isDrawn(original.contentType)) return undefined;
      return (await find(original, { width: drawnSide, format: 'png' }, asker)) ?? undefined;
    },
  };
}

/** The reasons that hold for all variants of a picture. */
const isOfPicture: ReadonlySet<DeclineReason> = new Set(['animated', 'too_many_pixels', 'unreadable']);

const failures: Partial<Record<DeclineReason, (format: VariantFormat) => string>> = {
  too_many_pixels: () => `it has more than ${maxPicturePixels / 1e6} million pixels`,
  unreadable: () => 'it cannot be decoded',
  too_long: (format) => `it would be too long for ${format}`,
  too_large: () => `it would have more than ${limits.fileBytes} bytes`,
  over_limits: () => 'it cannot be decoded within the limits of time and memory',
};

const busy = (): ServiceError =>
  new ServiceError('rate_limited', 'The service is stopping.', { retryAfterSeconds: 1 });

const unmade = (reason: string): ServiceError =>
  new ServiceError(
    'validation_error',
    `This picture cannot be resized or converted: ${reason}. Without width and format, its address has it as it is.`,
  );

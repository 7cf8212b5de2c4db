// Finds a variant of a stored picture, or makes and stores it. Each is made once; one that cannot be made is not tried again for an hour,
// and nor is any other of a picture that the decoder refuses. The blobs lie next to the original and are deleted with it. v2 3.
import { createHash } from 'node:crypto';
import { createBoundedMap } from '#core/bounded-map.ts';
import type { Clock } from '#core/clock.ts';
import { ServiceError } from '#core/errors.ts';
import { variantKey } from '#core/ids.ts';
import { readJpeg, readPng, readWebp } from '#core/image-header.ts';
import { wholeRange, type Blobs } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import type { VariantRow } from '#storage/schema.ts';
import { maxOriginalBytes } from '#uploads/pictures/limits.ts';
import type { PictureMaker } from '#uploads/pictures/picture-maker.ts';
import type { PictureAnswer } from '#uploads/pictures/picture-process.ts';
import {
  chooseVariant,
  drawnSide,
  isDrawn,
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
    { width, format }: Variant,
    { networks, signal }: { networks: readonly string[]; signal: AbortSignal },
  ): Promise<VariantRow | undefined> {
    const { accountId, sizeBytes } = original;
    const answer = await pictureMaker
      .make({
        accountId,
        networks,
        job: { width, format, isDrawing: isDrawn(original.contentType) },
        sizeBytes,
        open: () => blobs.open(original.key, wholeRange(sizeBytes), accountId),
        signal,
      })
      .then((given) => (given?.kind === 'made' && !isWhole(given.bytes, format) ? damaged : given))
      .catch((error: unknown): PictureAnswer => {
        if (error instanceof ServiceError) throw error;
        // Smaller variants take less of both. A stranger who asks for the largest must not take them from everyone.
        return { kind: 'refused', reason: 'it cannot be decoded within the limits of time and memory' };
      });
    if (!answer) return undefined;
    const row = {
      key: answer.kind === 'made' || answer.kind === 'refused' ? key : original.key,
      owner_id: original.ownerId,
      account_id: original.accountId,
      size_bytes: null,
      sha256: null,
      failure: 'reason' in answer ? answer.reason : null,
      created_at: clock.now(),
    };
    return answer.kind === 'made' ? store(row, answer.bytes) : record(row);
  }

  async function store(row: VariantRow, bytes: Buffer): Promise<VariantRow | undefined> {
    await using spool = blobs.createSpool(row.account_id);
    await spool.write(bytes);
    await spool.commit(row.key);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const recorded = await record({ ...row, size_bytes: bytes.length, sha256 });
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

const damaged: PictureAnswer = { kind: 'refused', reason: 'it cannot be decoded' };

const headerReaders = { webp: readWebp, jpeg: readJpeg, png: readPng };

/** The process that decoded a hostile picture may have been taken over by it, and what it sends is served under our name. */
function isWhole(bytes: Buffer, format: VariantFormat): boolean {
  const signature = { webp: 'RIFF', jpeg: '\xff\xd8\xff', png: '\x89PNG\r\n\x1a\n' }[format];
  if (bytes.toString('latin1', 0, signature.length) !== signature) return false;
  try {
    return headerReaders[format](bytes) !== undefined;
  } catch {
    return false;
  }
}

const unmade = (reason: string): ServiceError =>
  new ServiceError(
    'validation_error',
    `This picture cannot be resized or converted: ${reason}. Without width and format, its address has it as it is.`,
  );

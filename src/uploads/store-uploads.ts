// One upload from top to bottom: check the file, sanitize it, make it durable, then write row and unit in one transaction.
// Several files take each step together; a file that fails drops out with its own error. Spec 4.1, 4.2.
import { createBoundedMap, type BoundedMap } from '#core/bounded-map.ts';
import { invalid, toServiceError, type ServiceError } from '#core/errors.ts';
import { hashSecret, newDeleteToken, newId, newSlug } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Clock } from '#core/clock.ts';
import { noCrashPoints, type OnCrashPoint } from '#core/crash-points.ts';
import type { Blobs, Spool } from '#storage/blobs.ts';
import { UnknownOutcomeError, type Database, type Tables } from '#storage/database.ts';
import type { UploadRow } from '#storage/schema.ts';
import type { Caller } from '#accounts/authenticate.ts';
import { listensTo, recordEvents } from '#delivery/events.ts';
import { consumeUnits, findSpentQuota, type QuotaState } from '#metering/quota.ts';
import { joinAlbum } from '#uploads/albums.ts';
import type { UploadEvents } from '#uploads/upload-events.ts';
import { detectType, emptyFile, unsupportedType, type DetectedType } from '#uploads/detect-type.ts';
import { newExpiry } from '#uploads/expiry.ts';
import type { ImageType } from '#uploads/image-types.ts';
import { fileTooLarge, type ReceivedFile } from '#uploads/receive-file.ts';
import { sanitizeFilename } from '#uploads/filename.ts';
import type { CleanFile, FileCleaner } from '#uploads/file-cleaner.ts';
import type { UploadPasswords } from '#uploads/upload-passwords.ts';

export interface StoredUpload {
  row: UploadRow;
  /** Available only now: the database keeps only its hash. */
  deleteToken: string;
  quota: QuotaState;
}

export interface UploadOptions {
  expiresInSeconds: number | undefined;
  /** Version 1 stores files as they were sent. */
  stripMetadata?: boolean;
  /** Replaces the name that came with the file. */
  filename?: string | undefined;
  title?: string | undefined;
  tags?: string[];
  /** Those who open the link must know it. */
  password?: string | undefined;
  /** How often visitors can be shown it. */
  maxViews?: number | undefined;
  /** It must be there when the upload is. */
  albumId?: string | undefined;
  /** Those that the client is in, the largest first: they take turns where files are cleaned. */
  networks?: readonly string[];
  /** Aborts when the client hangs up: files are then not cleaned any more, and not stored. */
  signal?: AbortSignal;
  /** Runs in the transaction that stores them; if it throws, nothing is stored. */
  admit?: (tables: Tables, rows: UploadRow[]) => Promise<void>;
}

export type UploadOutcome = { ok: true; upload: StoredUpload } | { ok: false; error: ServiceError };

/**
 * Turns the outcomes into the caller's response. If something was stored, it runs in the same transaction, so that a response that it
 * records commits together with the uploads.
 */
export type ComposeAnswer<T> = (outcomes: UploadOutcome[], tables?: Tables) => Promise<T>;

/** One file on its way into the store. Each step fills in its part or sets `error`; later steps skip a file with an error. */
interface Attempt {
  /** Position in the request, from 0. */
  place: number;
  file: ReceivedFile;
  error?: ServiceError;
  detected?: DetectedType;
  draft?: Draft;
  isDurable?: true;
}

interface Draft {
  spool: Spool;
  row: UploadRow;
  deleteToken: string;
  tags: string[];
}

interface Stored<T> {
  outcomes: UploadOutcome[];
  answer: T;
}

const rememberedAccounts = 10_000;

interface StoreParts {
  database: Database;
  blobs: Blobs;
  clock: Clock;
  cleaner: FileCleaner;
  events: UploadEvents;
  passwords: UploadPasswords;
  reached?: OnCrashPoint;
}

export function createUploadStore(parts: StoreParts) {
  const { database, clock, cleaner, passwords } = parts;
  const { reached = noCrashPoints } = parts;
  const refusedAccounts = createBoundedMap<string, true>(rememberedAccounts);
  const conclude = createRecorder(parts, refusedAccounts);

  /** Stores the files that can be stored, in order, each with its own outcome. */
  async function storeUploads<T extends object>(
    uploader: Caller,
    files: ReceivedFile[],
    options: UploadOptions,
    composeAnswer: ComposeAnswer<T>,
  ): Promise<Stored<T>> {
    reached('files received');
    const expiresAt = newExpiry(uploader.plan, options.expiresInSeconds, clock.now());
    await using cleanFiles = new AsyncDisposableStack();
    const attempts: Attempt[] = files.map((file, place) => ({ file, place }));
    await eachOf(attempts, async (attempt) => {
      attempt.detected = detect(attempt.file);
    });
    await refuseSpentQuota(uploader, attempts);
    await eachOf(attempts, async (attempt) => {
      const clean = await cleanFile(uploader.accountId, attempt, options, cleanFiles);
      const { password } = options;
      const passwordHash = password === undefined ? null : await passwords.hash(uploader.accountId, password);
      const now = clock.now();
      attempt.draft = draftOf(uploader, attempt, clean, { ...options, now, expiresAt, passwordHash });
    });
    await eachOf(attempts, async (attempt) => {
      await attempt.draft?.spool.commit(attempt.draft.row.id);
      attempt.isDurable = true;
    });
    reached('file durable');
    // Awaited here, so that it cannot reject unhandled while the spools are being closed.
    return await conclude(uploader, attempts, options, composeAnswer);
  }

  /** Looks up the quota early if that may save work: before SVGs are sanitized, and for accounts that were refused before. */
  async function refuseSpentQuota(uploader: Caller, attempts: Attempt[]): Promise<void> {
    const isWorthAsking =
      refusedAccounts.get(uploader.accountId) || attempts.some(({ detected }) => detected === 'markup');
    if (!isWorthAsking) return;
    try {
      const refusal = await findSpentQuota(database.tables, uploader, 'upload', clock.now());
      if (refusal) failAll(attempts, refusal);
    } catch (error) {
      failAll(attempts, error);
    }
  }

  /**
   * What is stored and measured: an SVG without scripts, a picture without metadata if that was asked for, anything else as it was sent.
   * Nobody waits any more for one to be cleaned once the client has hung up; what is stored as it was sent is stored then too.
   */
  async function cleanFile(
    accountId: string,
    { detected, file }: Attempt,
    { stripMetadata = false, networks, signal }: UploadOptions,
    owner: AsyncDisposableStack,
  ): Promise<CleanFile> {
    const type = typeOf(detected);
    const asker = { accountId, networks };
    try {
      if (type !== 'image/svg+xml' && !stripMetadata) return await cleaner.measure(asker, type, file);
      return await cleaner.clean({ ...asker, signal }, type, file, owner);
    } catch (error) {
      throw signal?.aborted ? invalid('body', 'the connection closed') : error;
    }
  }

  return { storeUploads };
}

export type UploadStore = ReturnType<typeof createUploadStore>;

/** Writes the rows, their units and the response in one transaction, and deletes what has got no row. */
function createRecorder(
  { database, blobs, clock, events, reached = noCrashPoints }: StoreParts,
  refusedAccounts: BoundedMap<string, true>,
) {
  return conclude;

  async function conclude<T extends object>(
    uploader: Caller,
    attempts: Attempt[],
    options: UploadOptions,
    composeAnswer: ComposeAnswer<T>,
  ): Promise<Stored<T>> {
    const { outcomes, answer, isUnknown } = await record(uploader, attempts, options, composeAnswer);
    reached('upload committed');
    if (uploader.webhookEvents !== '') events.wake();
    for (const [index, { draft, isDurable }] of attempts.entries()) {
      // If the outcome of the commit is unknown, the blob may have a row; the orphan sweep checks that later.
      if (draft && isDurable && outcomes[index]?.ok !== true && !isUnknown)
        await blobs.delete(draft.row.id).catch(() => {});
    }
    return { outcomes, answer: answer ?? (await composeAnswer(outcomes)) };
  }

  /** One transaction for all rows, their units and the response. */
  async function record<T extends object>(
    uploader: Caller,
    attempts: Attempt[],
    options: UploadOptions,
    composeAnswer: ComposeAnswer<T>,
  ): Promise<{ outcomes: UploadOutcome[]; answer?: T; isUnknown?: boolean }> {
    if (attempts.every(({ error }) => error)) return { outcomes: attempts.map(failureOf) };
    try {
      return await database.transactionOf(uploader.accountId, async (tables) => {
        const outcomes = await recordAll(tables, uploader, attempts, options);
        if (!outcomes.some(({ ok }) => ok)) return { outcomes };
        return { outcomes, answer: await composeAnswer(outcomes, tables) };
      });
    } catch (error) {
      failAll(attempts, error);
      return { outcomes: attempts.map(failureOf), isUnknown: error instanceof UnknownOutcomeError };
    }
  }

  /** Files past the quota fail with `quota_exceeded`. Any other failure rolls the transaction back. */
  async function recordAll(
    tables: Tables,
    uploader: Caller,
    attempts: Attempt[],
    { albumId, admit }: UploadOptions,
  ): Promise<UploadOutcome[]> {
    const drafts = attempts.flatMap(({ draft, error }) => (draft && !error ? [draft] : []));
    const ids = drafts.map(({ row }) => row.id);
    const { states: quotas, refusal } = await consumeUnits(tables, uploader, 'upload', ids, clock.now());
    reached('unit taken');
    const paid = new Map(quotas.map((quota, place) => [drafts[place], quota]));
    const kept = drafts.slice(0, quotas.length);
    const stored = kept.map(({ row }) => row);
    if (albumId !== undefined && stored.length > 0)
      await joinAlbum(tables, uploader.accountId, albumId, { count: stored.length, now: clock.now() });
    await admit?.(tables, stored);
    await insertWithFreeSlugs(tables, stored);
    for (const { row, tags } of kept)
      if (tags.length > 0) await tables.ownedBy(uploader.accountId).uploads.setTags(row.id, tags);
    if (listensTo(uploader, 'upload.created'))
      await recordEvents(tables, uploader, 'upload.created', stored.map(events.describe), clock.now());
    reached('row written');
    if (refusal) refusedAccounts.set(uploader.accountId, true);
    else refusedAccounts.delete(uploader.accountId);
    return attempts.map((attempt) => {
      const { draft, error } = attempt;
      if (error || !draft) return failureOf(attempt);
      const quota = paid.get(draft);
      if (!quota) return { ok: false, error: toServiceError(refusal) };
      const { row, deleteToken } = draft;
      return { ok: true, upload: { row, deleteToken, quota } };
    });
  }
}

function draftOf(
  uploader: Caller,
  { file, place, detected }: Attempt,
  { file: kept, removed, dimensions }: CleanFile,
  options: UploadOptions & { now: number; expiresAt: number | null; passwordHash: string | null },
): Draft {
  const {
    filename = file.sourceFilename,
    title = null,
    tags = [],
    albumId = null,
    expiresAt,
    maxViews,
  } = options;
  const type = typeOf(detected);
  const deleteToken = newDeleteToken();
  return {
    spool: kept.spool,
    deleteToken,
    tags,
    row: {
      id: newId(),
      slug: newSlug(),
      account_id: uploader.accountId,
      key_id: uploader.keyId,
      filename: sanitizeFilename(filename, type),
      content_type: type,
      size_bytes: kept.sizeBytes,
      width: dimensions?.width ?? null,
      height: dimensions?.height ?? null,
      sha256: kept.sha256,
      delete_token_hash: hashSecret(deleteToken),
      // One millisecond apart, so that lists by time keep the order of the request.
      created_at: options.now + place,
      expires_at: expiresAt,
      deleted_at: null,
      title,
      tags: JSON.stringify(tags),
      metadata_removed: JSON.stringify(removed),
      album_id: albumId,
      password_hash: options.passwordHash,
      views_left: maxViews ?? null,
      views: 0,
    },
  };
}

/** Runs one step in parallel for every file that has not failed. */
async function eachOf(attempts: Attempt[], step: (attempt: Attempt) => Promise<void>): Promise<void> {
  await Promise.all(
    attempts.map(async (attempt) => {
      if (attempt.error) return;
      try {
        await step(attempt);
      } catch (error) {
        attempt.error = toServiceError(error);
      }
    }),
  );
}

function failAll(attempts: Attempt[], error: unknown): void {
  for (const attempt of attempts) attempt.error ??= toServiceError(error);
}

function failureOf({ error }: Attempt): UploadOutcome {
  return { ok: false, error: error ?? toServiceError(new Error('the file was not stored')) };
}

function detect({ sizeBytes, head }: ReceivedFile): DetectedType {
  if (sizeBytes > limits.fileBytes) throw fileTooLarge();
  const detected = detectType(head);
  if (!detected) throw sizeBytes === 0 ? emptyFile() : unsupportedType();
  return detected;
}

const typeOf = (detected: DetectedType | undefined): ImageType =>
  detected === undefined || detected === 'markup' ? 'image/svg+xml' : detected;

async function insertWithFreeSlugs(tables: Tables, rows: UploadRow[]): Promise<void> {
  let missing = rows;
  for (let attempt = 0; attempt < 5; attempt += 1) {
    if (await tables.uploads.insert(...missing)) return;
    const there = await tables.uploads.existing(missing.map(({ id }) => id));
    missing = missing.filter(({ id }) => !there.has(id));
    for (const row of missing) row.slug = newSlug();
  }
  throw new Error('no free slug after five attempts');
}

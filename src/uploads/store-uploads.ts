// One upload told top to bottom: judged, sanitized, made durable, then row and unit in one transaction. Spec 4.1, 4.2.
import { ServiceError, toServiceError } from '#core/errors.ts';
import { hashSecret, newDeleteToken, newId, newSlug } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Clock } from '#core/clock.ts';
import { passBy, type Reached } from '#core/reached.ts';
import type { Blobs, Spool } from '#storage/blobs.ts';
import { UnknownOutcomeError, type Database, type Tables } from '#storage/database.ts';
import type { UploadRow } from '#storage/schema.ts';
import type { Plan } from '#accounts/plans.ts';
import {
  ceilingOf,
  consumeUnit,
  limitOf,
  monthOf,
  quotaExceeded,
  type Payer,
  type QuotaStanding,
} from '#metering/quota.ts';
import { detectType, unsupportedType } from '#uploads/detect-type.ts';
import type { ImageType } from '#uploads/image-types.ts';
import { findDimensions } from '#uploads/dimensions.ts';
import { fileTooLarge, receiveFile, type ReceivedFile } from '#uploads/receive-file.ts';
import { sanitizeFilename } from '#uploads/filename.ts';
import type { SvgSanitizer } from '#uploads/svg-sanitizer.ts';

export interface StoredUpload {
  row: UploadRow;
  /** Known at this moment only: its hash is what is kept. */
  deleteToken: string;
  quota: QuotaStanding;
}

/** Runs in the transaction that stores and meters the uploads, so that what it writes stands and falls with them. */
export type AlsoRecord = (tables: Tables, outcomes: UploadOutcome[]) => Promise<void>;

export type UploadOutcome = { ok: true; upload: StoredUpload } | { ok: false; error: ServiceError };

const rememberedAccounts = 10_000;

interface PreparedFile {
  spool: Spool;
  row: UploadRow;
  deleteToken: string;
}

export function createUploadStore(parts: {
  database: Database;
  blobs: Blobs;
  clock: Clock;
  sanitizer: SvgSanitizer;
  reached?: Reached;
}) {
  const { database, blobs, clock, sanitizer, reached = passBy } = parts;
  const refusedAccounts = new Set<string>();

  /** Stores the files that can be stored, in order; each has its own outcome. */
  async function storeUploads(
    uploader: Payer,
    files: ReceivedFile[],
    expiresInSeconds: number | undefined,
    alsoRecord: AlsoRecord = async () => {},
  ): Promise<UploadOutcome[]> {
    reached('files received');
    const expiresAt = expiryOf(uploader.plan, expiresInSeconds, clock.now());
    const prepared = await Promise.all(
      files.map((file) => prepare(uploader, file, expiresAt).catch(toServiceError)),
    );
    if (prepared.every((file) => file instanceof ServiceError)) return prepared.map(failed);

    // A courtesy that spares the disk the files of an account that was refused before; the guarded counter below decides.
    if (refusedAccounts.has(uploader.accountId)) await refuseSpentQuota(uploader);
    const durable = await Promise.all(prepared.map((file) => makeDurable(file).catch(toServiceError)));
    reached('file durable');
    let isUnknown = false;
    const outcomes = await record(uploader, durable, alsoRecord).catch((error: unknown) => {
      isUnknown = error instanceof UnknownOutcomeError;
      return durable.map((file) => failed(file instanceof ServiceError ? file : toServiceError(error)));
    });
    reached('upload committed');
    await Promise.all(
      durable.map(async (file, index) => {
        // A blob that may have a row after all is left to the search for orphans, which looks.
        if (!(file instanceof ServiceError) && outcomes[index]?.ok !== true && !isUnknown)
          await blobs.delete(file.row.id).catch(() => {});
      }),
    );
    return outcomes;

    async function refuseSpentQuota({ accountId }: Payer): Promise<void> {
      const limit = limitOf(uploader, 'upload');
      const ceiling = ceilingOf(uploader, 'upload');
      if (!Number.isFinite(ceiling)) return;
      const { used } = await database.tables.usage.read({
        accountId,
        unit: 'upload',
        month: monthOf(clock.now()),
      });
      if (used < ceiling) return;
      prepared.forEach((file, index) => {
        if (!(file instanceof ServiceError)) prepared[index] = quotaExceeded('upload', limit);
      });
    }
  }

  async function prepare(
    uploader: Payer,
    file: ReceivedFile,
    expiresAt: number | null,
  ): Promise<PreparedFile> {
    if (file.sizeBytes > limits.fileBytes) throw fileTooLarge();
    const detected = detectType(file.head);
    if (!detected) throw unsupportedType();
    const type: ImageType = detected === 'markup' ? 'image/svg+xml' : detected;
    const kept = detected === 'markup' ? await sanitized(file) : file;
    const dimensions = await findDimensions(type, kept.head, kept.spool.read);
    const deleteToken = newDeleteToken();
    return {
      spool: kept.spool,
      deleteToken,
      row: {
        id: newId(),
        slug: newSlug(),
        account_id: uploader.accountId,
        key_id: uploader.keyId,
        filename: sanitizeFilename(file.sourceFilename, type),
        content_type: type,
        size_bytes: kept.sizeBytes,
        width: dimensions?.width ?? null,
        height: dimensions?.height ?? null,
        sha256: kept.sha256,
        delete_token_hash: hashSecret(deleteToken),
        created_at: clock.now(),
        expires_at: expiresAt,
        deleted_at: null,
      },
    };
  }

  /** What is stored of an SVG is the sanitized document, and that is what is measured. Spec 2.1, 4.1. */
  async function sanitized(file: ReceivedFile): Promise<ReceivedFile> {
    const clean = receiveFile(blobs, file.sourceFilename);
    await clean.write(await sanitizer.sanitize(await file.spool.read()));
    return clean.finish();
  }

  async function makeDurable(file: PreparedFile | ServiceError): Promise<PreparedFile> {
    if (file instanceof ServiceError) throw file;
    try {
      await file.spool.commit(file.row.id);
      return file;
    } catch (error) {
      await file.spool.discard();
      throw error;
    }
  }

  /** One transaction for all rows and their units; a spent quota fails one file and leaves the others. */
  function record(
    uploader: Payer,
    files: (PreparedFile | ServiceError)[],
    alsoRecord: AlsoRecord,
  ): Promise<UploadOutcome[]> {
    return database.transaction(async (tables) => {
      const outcomes: UploadOutcome[] = [];
      for (const file of files) {
        if (file instanceof ServiceError) {
          outcomes.push(failed(file));
          continue;
        }
        try {
          const quota = await consumeUnit(tables, uploader, 'upload', file.row.id, clock.now());
          reached('unit taken');
          await insertWithFreeSlug(tables, file.row);
          reached('row written');
          outcomes.push({ ok: true, upload: { row: file.row, deleteToken: file.deleteToken, quota } });
          refusedAccounts.delete(uploader.accountId);
        } catch (error) {
          // Anything but a spent quota leaves a unit without its row: the whole transaction goes back.
          if (!(error instanceof ServiceError && error.code === 'quota_exceeded')) throw error;
          if (refusedAccounts.size >= rememberedAccounts) refusedAccounts.clear();
          refusedAccounts.add(uploader.accountId);
          outcomes.push(failed(error));
        }
      }
      await alsoRecord(tables, outcomes);
      return outcomes;
    });
  }

  return { storeUploads };
}

export type UploadStore = ReturnType<typeof createUploadStore>;

/** A plan with a cap has it as the default too. Spec 4.1. */
function expiryOf(plan: Plan, expiresInSeconds: number | undefined, now: number): number | null {
  const seconds = Math.min(expiresInSeconds ?? Infinity, plan.max_link_seconds ?? Infinity);
  return Number.isFinite(seconds) ? now + seconds * 1000 : null;
}

async function insertWithFreeSlug(tables: Tables, row: UploadRow): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    if (await tables.uploads.insert(row)) return;
    row.slug = newSlug();
  }
  throw new Error('no free slug after five attempts');
}

const failed = (error: ServiceError): UploadOutcome => ({ ok: false, error });

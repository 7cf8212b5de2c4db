// The row of a render: pending, or ended well or badly.
import type { RenderKind, RenderRow } from '#storage/schema.ts';
import type { PageReceipt, RenderFailure } from '#browser/browser.ts';
import type { Output } from '#browser/job.ts';
import type { Caller } from '#accounts/authenticate.ts';
import { newExpiry } from '#uploads/expiry.ts';
import { chargedOf, isExtract, outputFiles } from '#renders/output-files.ts';
import { describeFailure } from '#renders/render-failure.ts';
import type { CheckedPut } from '#renders/put-outputs.ts';
import type { RenderRequest } from '#renders/render-request.ts';
import { receiptOf, type Receipt, type RenderTiming, type StoredOutput } from '#renders/stored-render.ts';
import type { Target } from '#renders/target-url.ts';

/** What is known of a render before it has ended. */
export interface BegunRender {
  id: string;
  payer: Caller;
  request: RenderRequest;
  target: Target;
  puts: CheckedPut[];
  createdAt: number;
}

export interface MadeRender {
  outputs: StoredOutput[];
  page: PageReceipt;
  timing: RenderTiming;
  durationMs: number;
}

// Failures are not metered, so nothing else bounds how much they leave.
const failureUrlCharacters = 2_048;

/** Until it has ended. */
export function pendingRow(begun: BegunRender): RenderRow {
  const { id, payer, request, createdAt } = begun;
  const { source, outputs } = request.job;
  const main = outputs[chargedOf(outputs)[0]!]!;
  const receipt: Receipt = {
    version: request.version,
    source: source.kind,
    page: null,
    timing: null,
    outputs: [],
    failure: null,
    requestId: request.requestId ?? null,
  };
  return {
    id,
    account_id: payer.accountId,
    key_id: payer.keyId,
    kind: kindOf(main),
    target: begun.target.href,
    options: JSON.stringify(request.options),
    content_type: outputFiles[main.format].contentType,
    created_at: createdAt,
    finished_at: null,
    state: 'pending',
    deleted_at: null,
    reference: request.reference,
    receipt: JSON.stringify(receipt),
    failure: null,
    size_bytes: null,
    duration_ms: null,
    sha256: null,
    hosted: 0,
    expires_at: null,
    units: 0,
    outputs: 0,
    cache_key: request.cacheKey ?? null,
  };
}

export function finishedRow(begun: BegunRender, made: MadeRender, now: number): RenderRow {
  const { request, payer } = begun;
  const { page, timing, durationMs } = made;
  const outputs = made.outputs.map(
    ({ id: _id, contentType: _type, isHosted: _hosted, text: _text, ...rest }) => rest,
  );
  const row = pendingRow(begun);
  return {
    ...row,
    state: 'ended',
    finished_at: now,
    receipt: JSON.stringify({ ...receiptOf(row), page, timing, outputs }),
    size_bytes: outputs.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    duration_ms: durationMs,
    sha256: isKept(request) ? outputs[0]!.sha256 : null,
    hosted: request.isHosted ? 1 : 0,
    expires_at: endOf(payer, request, now),
    units: chargedOf(outputs).length,
    outputs: outputs.length,
  };
}

/** The row of a failed render whose pending row this is. */
export function failedRow(pending: RenderRow, failure: RenderFailure, now: number): RenderRow {
  const receipt = receiptOf(pending);
  const { message, ...described } = describeFailure(receipt.source, pending.target, failure);
  return {
    ...pending,
    state: 'ended',
    finished_at: now,
    target: pending.target.slice(0, failureUrlCharacters),
    failure: message,
    cache_key: null,
    receipt: JSON.stringify({ ...receipt, failure: described }),
  };
}

/** Whether its bytes are stored. */
export const isKept = ({ isHosted, keepMs }: RenderRequest): boolean => isHosted || keepMs !== undefined;

function kindOf({ format }: Output): RenderKind {
  if (isExtract(format)) return 'extract';
  return format === 'pdf' ? 'pdf' : 'screenshot';
}

/** Hosted renders expire as uploads of the same plan do, or earlier if asked; bytes kept for a replay expire after `keepMs`. */
function endOf({ plan }: Caller, request: RenderRequest, now: number): number | null {
  const { isHosted, expiresInSeconds, keepMs } = request;
  if (isHosted) return newExpiry(plan, expiresInSeconds, now);
  return keepMs === undefined ? null : now + keepMs;
}

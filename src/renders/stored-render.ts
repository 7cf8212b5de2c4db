// A render as it is kept, from the moment it is queued: what `GET /api/v2/renders/{id}` and the answer of the render itself are made of.
import { outputKeys } from '#core/ids.ts';
import type { Phases } from '#core/phases.ts';
import type { RenderRow, RenderState } from '#storage/schema.ts';
import type { PageReceipt, RenderedFile, Warning } from '#browser/browser.ts';
import type { OutputFormat, Source } from '#browser/job.ts';
import { sizeOf, type Original } from '#uploads/pictures/variant.ts';
import { formatOf, outputFiles } from '#renders/output-files.ts';

export interface StoredRender {
  id: string;
  state: RenderState;
  reference: string | null;
  createdAt: number;
  /** Null while it is queued or runs. */
  finishedAt: number | null;
  /** When what is hosted expires. */
  expiresAt: number | null;
  /** Set if it is an earlier result that answers a request, which then cost nothing. */
  isCached?: true;
  /** Zero if it failed. */
  units: number;
  durationMs: number | null;
  source: Source['kind'];
  /** The address of the page, or the base URL of a document, without the query string; null if there is none. */
  url: string | null;
  /** Null for renders from before version 2, and for those that failed. */
  timing: RenderTiming | null;
  page: PageReceipt | null;
  /** Empty if it failed. */
  outputs: StoredOutput[];
  failure: StoredFailure | null;
}

/** An earlier result that answers a request. */
export const asHit = { isCached: true, units: 0 } as const;

export interface StoredOutput extends Omit<RenderedFile, 'path' | 'sha256'> {
  /** The id in its hosted URL, and the key of its bytes. */
  id: string;
  format: OutputFormat;
  contentType: string;
  isHosted: boolean;
  /** Null for bytes that were not kept before version 2. */
  sha256: string | null;
  /** The text of a hosted extract of at most 1 MB; null in lists. */
  text: string | null;
}

/** For its variants. */
export const originalOf = ({ render, output }: { render: RenderRow; output: StoredOutput }): Original => ({
  key: output.id,
  ownerId: render.id,
  accountId: render.account_id,
  contentType: output.contentType,
  sizeBytes: output.sizeBytes,
  size: sizeOf(output),
});

export interface RenderTiming {
  queueMs: number;
  loadMs: number;
  settleMs: number;
  captureMs: number;
  storeMs: number;
}

/** From the phases of a render, of which the given one still runs. */
export function timingOf(phases: Phases, current: string): RenderTiming {
  phases.begin(current);
  const sum = (...names: string[]): number =>
    Math.round(names.reduce((total, name) => total + (phases.measuredMs[name] ?? 0), 0));
  return {
    queueMs: sum('queue'),
    loadMs: sum('resolve', 'navigate'),
    settleMs: sum('settle'),
    captureMs: sum('capture', 'encode'),
    storeMs: sum('store', 'put'),
  };
}

export const failureReasons = {
  unreachable: { retryable: true },
  timeout: { retryable: true },
  http_error: { retryable: true },
  request_failed: { retryable: true },
  crashed: { retryable: true },
  not_public: { retryable: false },
  download: { retryable: false },
  script_error: { retryable: false },
  selector_missing: { retryable: false },
  condition_unmet: { retryable: false },
  too_large: { retryable: false },
  unprintable: { retryable: false },
} as const;

export type FailureReason = keyof typeof failureReasons;

export interface StoredFailure {
  /** Null for a failure from before version 2. */
  reason: FailureReason | null;
  message: string;
  field: string | null;
  /** The warnings of a failure that `fail_on` asked for. */
  warnings?: Warning[];
  /** The id of the request that asked for the render; null if it is not known. */
  requestId: string | null;
}

/** What a row has as JSON, because no query asks for it. */
export interface Receipt {
  /** The version of the interface that was asked for it. */
  version: 1 | 2;
  source: Source['kind'];
  timing: RenderTiming | null;
  page: PageReceipt | null;
  outputs: OutputReceipt[];
  failure: Omit<StoredFailure, 'message' | 'requestId'> | null;
  /** Absent from receipts that were written before it was kept. */
  requestId?: string | null;
}

export type OutputReceipt = Omit<RenderedFile, 'path' | 'sha256'> & Pick<StoredOutput, 'format' | 'sha256'>;

/** The target of a document without an address of its own. */
export const documentTarget = (kind: Source['kind']): string => `about:${kind}`;

/** The host of a target, for names that people read. */
export const hostOf = (target: string): string => URL.parse(target)?.hostname || 'document';

/** `queued` has the ids of pending renders that wait for their turn; the others run. */
export function toStoredRender(row: RenderRow, queued: ReadonlySet<string> = none): StoredRender {
  const { source, timing, page, failure, requestId = null } = receiptOf(row);
  const state = stateOf(row, queued);
  return {
    id: row.id,
    state,
    reference: row.reference,
    createdAt: row.created_at,
    finishedAt: row.state === 'pending' ? null : (row.finished_at ?? row.created_at),
    expiresAt: row.hosted === 1 ? row.expires_at : null,
    units: row.units,
    durationMs: row.duration_ms,
    source,
    url: row.target === documentTarget(source) ? null : withoutQuery(row.target),
    timing,
    page,
    outputs: outputsOf(row),
    failure:
      state === 'failed'
        ? { reason: null, field: null, ...failure, message: row.failure ?? '', requestId }
        : null,
  };
}

const none: ReadonlySet<string> = new Set();

export function stateOf({ id, state, failure }: RenderRow, queued: ReadonlySet<string>): RenderState {
  if (state === 'pending') return queued.has(id) ? 'queued' : 'running';
  if (state === 'canceled') return 'canceled';
  return failure === null ? 'succeeded' : 'failed';
}

export function outputsOf(row: RenderRow): StoredOutput[] {
  const { outputs } = receiptOf(row);
  const keys = outputKeys(row);
  return outputs.map((output, place) => ({
    ...output,
    id: keys[place]!,
    contentType: outputFiles[output.format].contentType,
    isHosted: row.hosted === 1,
    text: null,
  }));
}

export function receiptOf(row: RenderRow): Receipt {
  if (row.receipt !== null) return JSON.parse(row.receipt) as Receipt;
  const output: OutputReceipt = {
    format: formatOf(row.content_type),
    width: null,
    height: null,
    pages: null,
    truncated: false,
    sizeBytes: row.size_bytes ?? 0,
    sha256: row.sha256,
  };
  const outputs = row.failure === null ? [output] : [];
  return { version: 1, source: 'url', timing: null, page: null, outputs, failure: null };
}

const withoutQuery = (url: string): string => url.split(/[?#]/, 1)[0] ?? url;

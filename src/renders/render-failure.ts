// A render that failed, as each version of the interface says it. Contract 7; v2 2.
import { invalid, ServiceError } from '#core/errors.ts';
import { storable } from '#storage/storable.ts';
import type { RenderFailure, RenderFailureReason } from '#browser/browser.ts';
import type { Job, Source } from '#browser/job.ts';
import {
  documentTarget,
  failureReasons,
  type FailureReason,
  type StoredFailure,
} from '#renders/stored-render.ts';

/** Several of the browser's reasons are one for the client, so that a render tells nothing about a network that it does not know. */
const reasons: Record<RenderFailureReason, FailureReason> = {
  unresolved: 'unreachable',
  unreachable: 'unreachable',
  timed_out: 'timeout',
  denied: 'not_public',
  download: 'download',
  // There is an answer and no page in it, and a repeat will not change that.
  no_content: 'download',
  crashed: 'crashed',
  http_error: 'http_error',
  request_failed: 'request_failed',
  script_error: 'script_error',
  selector_missing: 'selector_missing',
  condition_unmet: 'condition_unmet',
  // Told at once it is a 422; a queued render has only these words for it.
  other_size: 'condition_unmet',
  too_large: 'too_large',
  unprintable: 'unprintable',
  // The service stops. Another machine, or the next start, can do it.
  aborted: 'crashed',
};

/** `target` is that of the render's row. */
export function describeFailure(kind: Source['kind'], target: string, failure: RenderFailure) {
  const { reason, message, field = fieldOf(kind, target), warnings } = failure;
  const described = { reason: reasons[reason], message: storable(message), field };
  return { ...described, ...(warnings && { warnings }) } satisfies Omit<StoredFailure, 'requestId'>;
}

/** What the client is told. Version 1 has a code for each endpoint and no reasons, and all of its failures are about `url`. */
export function toServiceError(
  {
    request: { version, job },
    target,
  }: { request: { version: 1 | 2; job: Pick<Job, 'source' | 'outputs'> }; target: { href: string } },
  failure: RenderFailure,
): ServiceError {
  if (version === 1) {
    const code = job.outputs[0]?.format === 'pdf' ? 'render_failed' : 'capture_failed';
    return new ServiceError(code, failure.message, { cause: failure, details: { field: 'url' } });
  }
  const { reason, message, field, warnings } = describeFailure(job.source.kind, target.href, failure);
  if (failure.reason === 'other_size') return invalid(field, message);
  const { retryable } = failureReasons[reason];
  return new ServiceError('render_failed', message, {
    cause: failure,
    details: { reason, field, retryable, ...(warnings && { warnings }) },
  });
}

/** The field that says where the page comes from. */
function fieldOf(kind: Source['kind'], target: string): string {
  return kind === 'url' || target === documentTarget(kind) ? kind : 'base_url';
}

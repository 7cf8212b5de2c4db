// What kind of failure an error is: that decides whether the request is sent again. Spec 7.
import { contractErrors, type ErrorCode } from './contract.ts';

/** limited: the service says when to retry. twice: worth at most two retries. transient: an outage. final: not retried. */
export type FailureKind = 'limited' | 'twice' | 'transient' | 'final';

export function kindOf({ code, status = 0 }: { code: string; status: number | undefined }): FailureKind {
  // A newer service may have codes that are not in the table.
  const known = Object.hasOwn(contractErrors, code) ? contractErrors[code as ErrorCode] : undefined;
  if (known?.retryable === false) return 'final';
  if (status === 429) return 'limited';
  if (known?.status === 502 || code === 'timeout') return 'twice';
  if (known || code === 'connection_failed' || status >= 500) return 'transient';
  return 'final';
}

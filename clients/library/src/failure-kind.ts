// What kind of failure an error is: that decides whether the request is sent again. Spec 7.
import { contractErrors, type ErrorCode } from './contract.ts';

/** limited: the service says when to retry. twice: worth at most two retries. transient: an outage. final: not retried. */
export type FailureKind = 'limited' | 'twice' | 'transient' | 'final';

interface Failure {
  code: string;
  status: number | undefined;
  /** What version 2 says of this very failure. */
  retryable?: boolean | undefined;
}

export function kindOf({ code, status = 0, retryable }: Failure): FailureKind {
  // A newer service may have codes that are not in the table.
  const known = Object.hasOwn(contractErrors, code) ? contractErrors[code as ErrorCode] : undefined;
  if ((retryable ?? known?.retryable) === false) return 'final';
  if (status === 429) return 'limited';
  if (known?.status === 502 || code === 'timeout') return 'twice';
  if (known || code === 'connection_failed' || status >= 500) return 'transient';
  return 'final';
}

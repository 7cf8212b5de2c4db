// What is asked of a render: the job of the browser, and what becomes of its outputs.
import { invalid } from '#core/errors.ts';
import type { Job } from '#browser/job.ts';
import type { Put } from '#renders/put-outputs.ts';

export interface RenderRequest {
  /** The version of the interface. Version 1 has other codes for a render that fails. */
  version: 1 | 2;
  job: Omit<Job, 'egress' | 'account' | 'phases' | 'listed'>;
  /** For messages. */
  listed?: Job['listed'];
  /** The client's options, as recorded and shown in the dashboard. They hold no secrets. */
  options: Record<string, unknown>;
  /** Outputs that are also sent elsewhere. */
  puts?: Put[];
  reference: string | null;
  /** Whether the outputs are stored under hosted URLs. If not, there is one output, and its bytes are the response. */
  isHosted: boolean;
  /** How long hosted outputs live; undefined for as long as uploads live on the plan. */
  expiresInSeconds: number | undefined;
  /** How long bytes that are not hosted are kept, for an idempotent replay or for the cache. */
  keepMs?: number;
  /** Set if the result may answer later requests that have the same. */
  cacheKey?: string;
  /** The id of the client's request, for the receipt of a failure. */
  requestId?: string;
}

/** Postgres refuses U+0000 in text, and would do so after the render. */
export function requireStorable({ reference }: Pick<RenderRequest, 'reference'>): void {
  if (reference?.includes('\0') === true)
    throw invalid('reference', 'must not contain the character U+0000', { isOfDelivery: true });
}

// What a batch of any size answers: the contract's result, with each item either stored or not. Spec 2.2.
import type { BatchResult as WireBatchResult, UploadResult } from './contract.ts';

type WireItem = WireBatchResult['items'][number];
type Common = Pick<WireItem, 'index' | 'sourceFilename'>;

export type BatchItem =
  | (Common & { ok: true; upload: UploadResult })
  | (Common & { ok: false; error: NonNullable<WireItem['error']> });

export interface BatchResult extends Pick<WireBatchResult, 'summary'> {
  /** One entry per file, in the order in which they were given. */
  items: BatchItem[];
}

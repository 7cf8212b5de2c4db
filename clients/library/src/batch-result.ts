// What a batch of any size answers: the contract's result, with each item either stored or not. Spec 2.2.
import type { BatchResult as WireBatchResult, UploadResult } from './contract.ts';

type WireItem = WireBatchResult['items'][number];
type Common = Pick<WireItem, 'index' | 'sourceFilename'>;

/** The service's reason, or the client's own: a file that could not be read was not sent. */
interface ItemError {
  code: NonNullable<WireItem['error']>['code'] | 'unreadable_file';
  message: string;
}

export type BatchItem =
  | (Common & { ok: true; upload: UploadResult })
  | (Common & { ok: false; error: ItemError });

export interface BatchResult extends Pick<WireBatchResult, 'summary'> {
  /** One entry per file, in the order in which they were given. */
  items: BatchItem[];
}

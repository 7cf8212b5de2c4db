// @tintype/client: the library. It imports nothing but itself.
export { Tintype } from './tintype.ts';
export type {
  BatchOptions,
  PdfOptions,
  RenderBytes,
  ScreenshotOptions,
  TintypeOptions,
  UploadOptions,
  WithMeta,
} from './tintype.ts';
export type { CallOptions } from './call-options.ts';
export type { BatchItem, BatchResult } from './batch-result.ts';
export type { Clock } from './clock.ts';
export type {
  AccountRenders,
  AccountUploads,
  AccountUsage,
  ErrorCode,
  PdfMetadata,
  PdfRequest,
  ScreenshotMetadata,
  ScreenshotRequest,
  UploadResult,
} from './contract.ts';
export { TintypeError } from './errors.ts';
export type { ClientErrorCode } from './errors.ts';
export type { FileInput, FileSource, NamedFile } from './files.ts';
export type { Meta, Quota, RateLimit } from './meta.ts';
export type { Retry } from './send.ts';
export type { Progress } from './upload-batch.ts';

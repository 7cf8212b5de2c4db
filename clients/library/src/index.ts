// @tintype/client: the library. It imports only its own files.
export { Tintype } from './tintype.ts';
export type * from './options.ts';
export type { CallOptions } from './call-options.ts';
export type { BatchItem, BatchResult } from './batch-result.ts';
export type { Clock } from './clock.ts';
export type {
  AccountRenders,
  AccountUploads,
  AccountUsage,
  Album,
  AlbumChanges,
  AlbumList,
  ErrorCode,
  NewAlbum,
  NewUploadLink,
  PdfMetadata,
  OutputOptions,
  Output,
  PdfRequest,
  Render,
  RenderList,
  RenderRequest,
  ScreenshotMetadata,
  ScreenshotRequest,
  Upload,
  UploadChanges,
  UploadLink,
  UploadLinkList,
  UploadList,
  UploadResult,
  Usage,
} from './contract.ts';
export {
  AuthenticationError,
  QuotaExceededError,
  RateLimitError,
  RenderError,
  RequestError,
  TintypeError,
  UnavailableError,
} from './errors.ts';
export type { ClientErrorCode } from './errors.ts';
export type { FileInput, FileSource, NamedFile } from './files.ts';
export type {
  Albums,
  NewUpload,
  NewUploadOptions,
  UploadFields,
  UploadLinks,
  Uploads,
  UploadSource,
  UploadWithFields,
} from './hosting.ts';
export type { Meta, Quota, RateLimit } from './meta.ts';
export type { RenderCallOptions, RenderFields, RenderFile, RenderReadOptions } from './renders.ts';
export type { Waiting } from './run-all.ts';
export type { Retry } from './send.ts';
export type { Progress } from './upload-batch.ts';
export { signLink } from './sign-link.ts';
export type { LinkFields, LinkSigner } from './sign-link.ts';

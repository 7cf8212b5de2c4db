// Made by scripts/client-contract.ts from the OpenAPI document; not to be edited.

export type ErrorCode =
  | 'unauthorized'
  | 'quota_exceeded'
  | 'not_found'
  | 'method_not_allowed'
  | 'file_too_large'
  | 'batch_too_large'
  | 'unsupported_type'
  | 'validation_error'
  | 'too_many_files'
  | 'rate_limited'
  | 'concurrency_limited'
  | 'internal'
  | 'capture_failed'
  | 'render_failed';

export interface BatchResult {
  /** One entry per submitted file, in request order. */
  items: {
    /** Whether this file was stored. */
    ok: boolean;
    /** Zero-based position of the file in the request. */
    index: number;
    /** Filename as submitted. */
    sourceFilename: string;
    upload?: {
      /** Unique upload id. */
      id: string;
      /** Short slug used in share URLs. */
      slug: string;
      /** Share page that shows the image in a viewer. */
      url: string;
      /** Direct URL of the raw image bytes. */
      fileUrl: string;
      /** Deletes the upload without further authentication. It is a secret. */
      deleteUrl: string;
      /** When the link stops resolving and the file is deleted; null when no expiry is scheduled. */
      expiresAt: string | null;
      /** Stored size, measured after SVG sanitization. */
      sizeBytes: number;
      /** Detected from the file's bytes, not from the declared type. */
      contentType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/svg+xml' | 'image/avif';
      /** Sanitized stored filename. */
      filename: string;
    };
    error?: {
      /** Why this file was not stored. */
      code: 'file_too_large' | 'unsupported_type' | 'validation_error' | 'quota_exceeded' | 'internal';
      message: string;
    };
  }[];
  /** Counts. */
  summary: {
    total: number;
    succeeded: number;
    failed: number;
  };
}

export interface PdfMetadata {
  /** Unique render id. */
  id: string;
  /** Hosted URL of the stored PDF. */
  url: string;
  /** Paper size used. */
  paperFormat: 'letter' | 'a4' | 'legal';
  /** Orientation used. */
  landscape: boolean;
  /** Whether backgrounds were printed. */
  printBackground: boolean;
  /** Whether the page's CSS page size was preferred. */
  preferCssPageSize: boolean;
  /** Scale used. */
  scale: number;
  /** Margins used. */
  margin: {
    top: number | string;
    right: number | string;
    bottom: number | string;
    left: number | string;
  };
  /** Viewport used. */
  viewport: {
    width: number;
    height: number;
  };
  /** Readiness used. */
  waitUntil: 'load' | 'domcontentloaded' | 'networkidle0' | 'networkidle2';
  /** Extra wait used. */
  delayMs: number;
  /** Render duration in milliseconds. */
  durationMs: number | null;
  /** Size of the stored file in bytes. */
  sizeBytes: number | null;
}

export interface PdfRequest {
  /** Public http(s) address. localhost, private hosts and internal IP ranges are rejected. */
  url: string;
  /** Paper size. Default: "letter". */
  paperFormat?: 'letter' | 'a4' | 'legal';
  /** Rotates the paper to landscape. Default: false. */
  landscape?: boolean;
  /** Include CSS background colors and images. Default: true. */
  printBackground?: boolean;
  /** A CSS page size defined by the page overrides paper_format. Default: false. */
  preferCssPageSize?: boolean;
  /** Scale of the printed content. Default: 1. */
  scale?: number;
  /** Margins of the paper. Default: {}. */
  margin?: {
    /** The top margin: a number of CSS pixels from 0 to 2000, or a text of at most 16 characters that is "0" or a number followed by px, in, cm or mm. Default: 0. */
    top?: number | string;
    /** The right margin: a number of CSS pixels from 0 to 2000, or a text of at most 16 characters that is "0" or a number followed by px, in, cm or mm. Default: 0. */
    right?: number | string;
    /** The bottom margin: a number of CSS pixels from 0 to 2000, or a text of at most 16 characters that is "0" or a number followed by px, in, cm or mm. Default: 0. */
    bottom?: number | string;
    /** The left margin: a number of CSS pixels from 0 to 2000, or a text of at most 16 characters that is "0" or a number followed by px, in, cm or mm. Default: 0. */
    left?: number | string;
  };
  /** Browser viewport applied before printing. Controls responsive layout, not paper size. Default: {}. */
  viewport?: {
    /** Viewport width, in CSS pixels. Default: 1440. */
    width?: number;
    /** Viewport height, in CSS pixels. Default: 900. */
    height?: number;
  };
  /** What the page must have reached before it is printed. Default: "networkidle2". */
  waitUntil?: 'load' | 'domcontentloaded' | 'networkidle0' | 'networkidle2';
  /** Extra wait after readiness, in milliseconds. Default: 0. */
  delayMs?: number;
  /** pdf: the bytes; json: metadata with a hosted PDF URL. Default: "pdf". */
  response?: 'pdf' | 'json';
}

export interface ScreenshotMetadata {
  /** Unique capture id. */
  id: string;
  /** Hosted URL of the stored capture, not of the captured page. */
  url: string;
  /** Image format. */
  format: 'png' | 'jpeg' | 'webp';
  /** Viewport width used. */
  width: number;
  /** Viewport height used. */
  height: number;
  /** Whether the full scrollable height was captured. */
  fullPage: boolean;
  /** Render duration in milliseconds. */
  durationMs: number | null;
  /** Size of the stored file in bytes. */
  sizeBytes: number | null;
}

export interface ScreenshotRequest {
  /** Public http(s) address. localhost, private hosts and internal IP ranges are rejected. */
  url: string;
  /** Capture the full scrollable height. Default: false. */
  fullPage?: boolean;
  /** Image format. Default: "png". */
  format?: 'png' | 'jpeg' | 'webp';
  /** Viewport width, in CSS pixels. Default: 1440. */
  width?: number;
  /** Viewport height, in CSS pixels. Default: 900. */
  height?: number;
  /** image: the encoded bytes; json: metadata with a hosted image URL. Default: "image". */
  response?: 'image' | 'json';
}

export interface UploadResult {
  /** Unique upload id. */
  id: string;
  /** Short slug used in share URLs. */
  slug: string;
  /** Share page that shows the image in a viewer. */
  url: string;
  /** Direct URL of the raw image bytes. */
  fileUrl: string;
  /** Deletes the upload without further authentication. It is a secret. */
  deleteUrl: string;
  /** When the link stops resolving and the file is deleted; null when no expiry is scheduled. */
  expiresAt: string | null;
  /** Stored size, measured after SVG sanitization. */
  sizeBytes: number;
  /** Detected from the file's bytes, not from the declared type. */
  contentType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/svg+xml' | 'image/avif';
  /** Sanitized stored filename. */
  filename: string;
}

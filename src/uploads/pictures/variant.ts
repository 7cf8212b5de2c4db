// The variants of a picture: a finite set of widths and formats, so that their addresses need no signature. v2 3.
import type { Dimensions } from '#core/image-header.ts';
import { longestSide } from '#browser/picture-job.ts';
import type { UploadRow } from '#storage/schema.ts';

export const variantWidths = [32, 64, 128, 256, 384, 512, 640, 768, 1024, 1280, 1536, 1920, 2560] as const;
export type VariantWidth = (typeof variantWidths)[number];

export const variantTypes = { webp: 'image/webp', jpeg: 'image/jpeg', png: 'image/png' } as const;
export type VariantFormat = keyof typeof variantTypes;
/** What a request may ask for. */
export const variantFormats = ['auto', ...(Object.keys(variantTypes) as VariantFormat[])] as const;

/** The types that are decoded; anything else is served as it is. */
const decodedTypes = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'];

/** The longer side of the picture of an SVG. */
export const drawnSide = 1280;
export const isDrawn = (contentType: string): boolean => contentType === 'image/svg+xml';

/** What it measures; undefined if it is not known. */
export function drawnSize(size: Dimensions | undefined): Dimensions | undefined {
  if (!size) return undefined;
  const scale = drawnSide / Math.max(size.width, size.height);
  const side = (pixels: number) => Math.max(1, Math.round(pixels * scale));
  return { width: side(size.width), height: side(size.height) };
}

/** The picture that variants are made of. */
export interface Original {
  /** The key of its blob. */
  key: string;
  /** The upload or render that it belongs to. */
  ownerId: string;
  accountId: string;
  contentType: string;
  sizeBytes: number;
  /** As it is shown; undefined if unknown. */
  size: Dimensions | undefined;
}

export const originalOf = (row: UploadRow): Original => ({
  key: row.id,
  ownerId: row.id,
  accountId: row.account_id,
  contentType: row.content_type,
  sizeBytes: row.size_bytes,
  size: sizeOf(row),
});

/** Undefined unless both are known. */
export const sizeOf = ({
  width,
  height,
}: {
  width: number | null;
  height: number | null;
}): Dimensions | undefined => (width === null || height === null ? undefined : { width, height });

export interface Wanted {
  width: VariantWidth | undefined;
  format: VariantFormat | 'auto';
  /** Whether the client says that it understands WebP. */
  acceptsWebp: boolean;
}

export interface Variant {
  /** Undefined for the width of the original. */
  width: number | undefined;
  format: VariantFormat;
}

/** Uploads are smaller; a long screenshot may be larger and is then shown as it is. */
export const maxOriginalBytes = 32 * 1024 * 1024;
export const isDecoded = (contentType: string): boolean => decodedTypes.includes(contentType);

/** Null if the original itself is what is wanted: it is not made larger, and not encoded again in its own format and size. */
export function chooseVariant({ contentType, size }: Original, wanted: Wanted): Variant | null {
  if (!isDecoded(contentType)) return null;
  const width = size && wanted.width !== undefined && wanted.width >= size.width ? undefined : wanted.width;
  const format = wanted.format === 'auto' ? automatic(contentType, width, wanted, size) : wanted.format;
  return width === undefined && contentType === variantTypes[format] ? null : { width, format };
}

/** Every client understands JPEG and PNG; of these, only PNG can be transparent. */
function automatic(
  contentType: string,
  width: number | undefined,
  { acceptsWebp }: Wanted,
  size: Dimensions | undefined,
): VariantFormat {
  const height = size ? (size.height * (width ?? size.width)) / size.width : 0;
  if (acceptsWebp && Math.max(height, width ?? size?.width ?? 0) <= longestSide.webp) return 'webp';
  return contentType === 'image/jpeg' ? 'jpeg' : 'png';
}

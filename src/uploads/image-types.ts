// The six image types of the contract, their extensions and names. Spec 2.1.

/** A file without any of these extensions gets the first one. */
export const imageExtensions = {
  'image/png': ['png', 'apng'],
  'image/jpeg': ['jpg', 'jpeg', 'jpe', 'jfif'],
  'image/gif': ['gif'],
  'image/webp': ['webp'],
  'image/svg+xml': ['svg'],
  'image/avif': ['avif', 'avifs'],
} as const;

/** As people write them. */
export const imageNames: Record<keyof typeof imageExtensions, string> = {
  'image/png': 'PNG',
  'image/jpeg': 'JPEG',
  'image/gif': 'GIF',
  'image/webp': 'WebP',
  'image/svg+xml': 'SVG',
  'image/avif': 'AVIF',
};

export type ImageType = keyof typeof imageExtensions;

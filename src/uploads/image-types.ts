// The six image types of the contract, the extensions they go by, and the size of an image. Spec 2.1.

/** The first extension is the one given to a file that has none of them. */
export const imageExtensions = {
  'image/png': ['png', 'apng'],
  'image/jpeg': ['jpg', 'jpeg', 'jpe', 'jfif'],
  'image/gif': ['gif'],
  'image/webp': ['webp'],
  'image/svg+xml': ['svg'],
  'image/avif': ['avif', 'avifs'],
} as const;

export type ImageType = keyof typeof imageExtensions;

/** In pixels, as shown. */

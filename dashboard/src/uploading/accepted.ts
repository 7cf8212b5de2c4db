// What can be uploaded, from the service's own constants.
import { limits } from '#core/limits.ts';
import { imageNames } from '#uploads/image-types.ts';

/** For a file field. */
export const acceptedTypes = Object.keys(imageNames).join(',');
/** `PNG, JPEG, … or AVIF`. */
export const typeNames = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
  Object.values(imageNames),
);
/** `10 MB`. */
export const maxSize = `${limits.fileBytes / 1024 ** 2} MB`;

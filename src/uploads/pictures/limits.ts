// How large the pictures are that go into and come out of the process that decodes them.
import { limits } from '#core/limits.ts';

/** Uploads are smaller; a long screenshot may be larger and is then shown as it is. */
export const maxOriginalBytes = 32 * 1024 * 1024;
/** As for an upload, so that the variants of one picture cannot fill a disk. */
export const maxVariantBytes = limits.fileBytes;

// Checks a file before it is sent: one that cannot succeed is refused here and costs no request. Like the service, it looks
// at the content, not at the name. If it is not sure, the file is sent and the service decides.
import { limits } from '#core/limits.ts';
import { bytes } from '#app/format.ts';
import { maxSize, typeNames } from '#app/uploading/accepted.ts';

const starts: RegExp[] = [
  /^\x89PNG\r\n\x1a\n/,
  /^\xff\xd8\xff/,
  /^GIF8[79]a/,
  /^RIFF[^]{4}WEBP/,
  // AVIF and related formats; the service finds out which one it is.
  /^[^]{4}ftyp/,
  // Text in UTF-8 that begins with markup, or text in UTF-16: possibly an SVG.
  /^(\xef\xbb\xbf)?\s*</,
  /^(\xff\xfe|\xfe\xff)/,
];

/** Why the file cannot be stored; undefined if it may be. */
export async function refusalOf(file: File): Promise<string | undefined> {
  if (file.size > limits.fileBytes) return `Larger than ${maxSize} (${bytes(file.size)}).`;
  if (file.size === 0) return 'Empty file.';
  let head: string;
  try {
    head = String.fromCharCode(...new Uint8Array(await file.slice(0, 256).arrayBuffer()));
  } catch {
    return 'Could not be read. Folders cannot be uploaded.';
  }
  return starts.some((start) => start.test(head)) ? undefined : `Not a ${typeNames} picture.`;
}

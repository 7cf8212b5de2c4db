// An upload form as one Blob: its size is known, it can be sent again, and the files are not copied. Spec 4.1, 4.2.
import type { LoadedFile } from './files.ts';

export interface EncodedForm {
  body: Blob;
  contentType: string;
}

/** Fields that are undefined are left out; a list is a part for each of its members. */
export function encodeForm(
  files: LoadedFile[],
  fields: Record<string, string | number | boolean | string[] | undefined>,
): EncodedForm {
  const boundary = `tintype${randomHex(16)}`;
  const parts: (string | Blob)[] = [];
  for (const [name, value] of Object.entries(fields).flatMap(([field, given]) =>
    [given].flat().map((single) => [field, single] as const),
  )) {
    if (value === undefined) continue;
    parts.push(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
  }
  for (const { blob, filename } of files) {
    parts.push(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escapeName(filename)}"\r\n` +
        'Content-Type: application/octet-stream\r\n\r\n',
      blob,
      '\r\n',
    );
  }
  parts.push(`--${boundary}--\r\n`);
  return { body: new Blob(parts), contentType: `multipart/form-data; boundary=${boundary}` };
}

/** As browsers do, so that a name cannot end the quoted string or the header line. */
function escapeName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

export function randomHex(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

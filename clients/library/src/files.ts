// Turns what the caller passes (a path, a Blob, bytes, a stream) into a Blob that can be sent more than once.
import { uploadLimits } from './contract.ts';
import { RequestError, TintypeError, type TintypeErrorDetails } from './errors.ts';

/** A path (Node, Deno, Bun), a file: URL, a Blob or File, bytes, or a stream of bytes. */
export type FileSource =
  | string
  | URL
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | AsyncIterable<Uint8Array>
  | ReadableStream<Uint8Array>;

export interface NamedFile {
  data: FileSource;
  filename: string;
}

/** Bytes and streams have no name; `{ data, filename }` gives them one. */
export type FileInput = FileSource | NamedFile;

export interface LoadedFile {
  blob: Blob;
  filename: string;
}

/** A larger file is not sent, and not read further. */
const { fileBytes: maxUploadBytes } = uploadLimits;

/** A file that cannot be sent. In a batch it becomes a failed item, and the others are sent. */
export class FileRefused extends RequestError {
  static override readonly codes: ('file_too_large' | 'unreadable_file')[] = [
    'file_too_large',
    'unreadable_file',
  ];
  declare readonly code: 'file_too_large' | 'unreadable_file';
  readonly filename: string;

  constructor(
    code: 'file_too_large' | 'unreadable_file',
    filename: string,
    message: string,
    details?: TintypeErrorDetails,
  ) {
    super(code, message, details);
    this.filename = filename;
  }
}

function tooLarge(filename: string, maxBytes: number): FileRefused {
  const message = `file: ${filename} is larger than ${maxBytes} bytes (${maxBytes / 1024 ** 2} MB).`;
  return new FileRefused('file_too_large', filename, message);
}

export async function loadFile(input: FileInput, maxBytes: number = maxUploadBytes): Promise<LoadedFile> {
  checkInput(input);
  const { data, filename } = nameOf(input);
  const blob = await loadBlob(data, filename, maxBytes);
  if (blob.size > maxBytes) throw tooLarge(filename, maxBytes);
  return { blob, filename };
}

/** The size in bytes, if it is known without reading the file; 0 for a path that cannot be read. */
export async function sizeOf(input: FileInput): Promise<number | undefined> {
  const { data } = nameOf(input);
  if (data instanceof Blob) return data.size;
  if (data instanceof ArrayBuffer || ArrayBuffer.isView(data)) return data.byteLength;
  if (typeof data !== 'string' && !(data instanceof URL)) return undefined;
  const { stat } = await import('./paths.ts');
  return (await stat(data).catch(() => ({ size: 0 }))).size;
}

/** Throws for a mistake of the caller, before any file of a batch is sent. */
export function checkInput(input: FileInput): void {
  const { data, filename } = isNamed(input) ? input : { data: input, filename: '' };
  const isFile =
    typeof data === 'string' ||
    data instanceof URL ||
    data instanceof Blob ||
    data instanceof ArrayBuffer ||
    ArrayBuffer.isView(data) ||
    isStream(data);
  if (!isFile) {
    throw new TypeError(`a file is a path, a Blob, bytes or a stream, not ${kindOf(data)}`);
  }
  if (typeof filename !== 'string') throw new TypeError('filename must be a string');
}

const isStream = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || 'getReader' in value);

function kindOf(value: unknown): string {
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value;
  return value.constructor?.name ?? 'an object';
}

const isNamed = (input: FileInput): input is NamedFile =>
  typeof input === 'object' && input !== null && 'data' in input && 'filename' in input;

function nameOf(input: FileInput): NamedFile {
  if (isNamed(input)) return input;
  return { data: input, filename: ownName(input) ?? 'image' };
}

function ownName(source: FileSource): string | undefined {
  if (typeof source === 'string') return baseName(source);
  if (source instanceof URL) return baseName(decodeURIComponent(source.pathname));
  // A File has a name, a Node file stream has the path that it reads.
  if ('name' in source && typeof source.name === 'string') return baseName(source.name);
  if ('path' in source && typeof source.path === 'string') return baseName(source.path);
  return undefined;
}

const baseName = (path: string): string | undefined => path.split(/[/\\]/).at(-1) || undefined;

async function loadBlob(source: FileSource, filename: string, maxBytes: number): Promise<Blob> {
  if (source instanceof Blob) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source))
    return new Blob([source as Uint8Array<ArrayBuffer>]);
  try {
    if (typeof source === 'string' || source instanceof URL)
      return await readPath(source, filename, maxBytes);
    return await collect(source, filename, maxBytes);
  } catch (error) {
    if (error instanceof TintypeError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new FileRefused('unreadable_file', filename, `cannot read ${filename}: ${reason}`, {
      cause: error,
    });
  }
}

async function readPath(path: string | URL, filename: string, maxBytes: number): Promise<Blob> {
  const { open } = await import('./paths.ts');
  // This module is empty in bundles for browsers.
  if (typeof open !== 'function')
    throw new TypeError('paths do not work in a browser; pass a File, a Blob or bytes');
  const handle = await open(path);
  try {
    if ((await handle.stat()).size > maxBytes) throw tooLarge(filename, maxBytes);
    return await collect(handle.createReadStream({ autoClose: false }), filename, maxBytes);
  } finally {
    await handle.close();
  }
}

/** Reads the whole stream into memory, because a retry must be able to send it again. */
async function collect(
  stream: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>,
  filename: string,
  maxBytes: number,
): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of Symbol.asyncIterator in stream ? stream : chunksOf(stream)) {
    const bytes = bytesOf(chunk);
    size += bytes.byteLength;
    if (size > maxBytes) throw tooLarge(filename, maxBytes);
    chunks.push(bytes);
  }
  return new Blob(chunks);
}

/** A stream with an encoding yields strings. */
function bytesOf(chunk: unknown): Uint8Array<ArrayBuffer> {
  if (typeof chunk === 'string') return new TextEncoder().encode(chunk);
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk);
  // A copy, because the stream may reuse its memory.
  if (ArrayBuffer.isView(chunk))
    return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength).slice();
  throw new TypeError('the stream yields neither bytes nor strings');
}

/** For Safari, whose streams are not iterable. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    await reader.cancel();
  }
}

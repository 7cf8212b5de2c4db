// Turns what a caller has (a path, a Blob, bytes, a stream) into bytes that can be sent, and sent again.
import { TintypeError } from './errors.ts';

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

/** Bytes and streams have no name of their own; `{ data, filename }` gives them one. */
export type FileInput = FileSource | NamedFile;

export interface LoadedFile {
  blob: Blob;
  filename: string;
}

/** Spec 4.1: 10 MB. A larger file is not read to its end and not sent. */
export const maxFileBytes = 10 * 1024 * 1024;

export class TooLarge extends TintypeError {
  readonly filename: string;

  constructor(filename: string) {
    super('file_too_large', `file: ${filename} is larger than ${maxFileBytes} bytes (10 MB).`, {
      status: 413,
    });
    this.filename = filename;
  }
}

export async function loadFile(input: FileInput): Promise<LoadedFile> {
  const { data, filename } = nameOf(input);
  const blob = await loadBlob(data, filename);
  if (blob.size > maxFileBytes) throw new TooLarge(filename);
  return { blob, filename };
}

/** Bytes of the file where they are known without reading it. */
export async function sizeOf(input: FileInput): Promise<number | undefined> {
  const { data } = nameOf(input);
  if (data instanceof Blob) return data.size;
  if (data instanceof ArrayBuffer || ArrayBuffer.isView(data)) return data.byteLength;
  if (typeof data !== 'string' && !(data instanceof URL)) return undefined;
  const { stat } = await import('./paths.ts');
  return (await stat(data).catch(() => undefined))?.size;
}

function nameOf(input: FileInput): NamedFile {
  if (typeof input === 'object' && 'data' in input && 'filename' in input) return input;
  return { data: input, filename: ownName(input) ?? 'image' };
}

function ownName(source: FileSource): string | undefined {
  if (typeof source === 'string') return baseName(source);
  if (source instanceof URL) return baseName(decodeURIComponent(source.pathname));
  // A File has its name, a Node file stream the path that it reads.
  if ('name' in source && typeof source.name === 'string') return baseName(source.name);
  if ('path' in source && typeof source.path === 'string') return baseName(source.path);
  return undefined;
}

const baseName = (path: string): string | undefined => path.split(/[/\\]/).at(-1) || undefined;

async function loadBlob(source: FileSource, filename: string): Promise<Blob> {
  if (source instanceof Blob) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source))
    return new Blob([source as Uint8Array<ArrayBuffer>]);
  try {
    if (typeof source === 'string' || source instanceof URL) return await readPath(source, filename);
    return await collect(source, filename);
  } catch (error) {
    if (error instanceof TintypeError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new TintypeError('unreadable_file', `cannot read ${filename}: ${reason}`, { cause: error });
  }
}

async function readPath(path: string | URL, filename: string): Promise<Blob> {
  const { open } = await import('./paths.ts');
  const handle = await open(path);
  try {
    if ((await handle.stat()).size > maxFileBytes) throw new TooLarge(filename);
    return await collect(handle.createReadStream({ autoClose: false }), filename);
  } finally {
    await handle.close();
  }
}

/** A stream is kept whole, because a retry must be able to send it again. */
async function collect(
  stream: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>,
  filename: string,
): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of Symbol.asyncIterator in stream ? stream : chunksOf(stream)) {
    size += chunk.byteLength;
    if (size > maxFileBytes) throw new TooLarge(filename);
    chunks.push(new Uint8Array(chunk));
  }
  return new Blob(chunks);
}

/** Safari's streams have a reader only. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    await reader.cancel();
  }
}

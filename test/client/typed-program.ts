// A program that uses every part of the library's types, and says where the compiler must object.
export const typedProgram = `
import { QuotaExceededError, RateLimitError, RequestError, Tintype, TintypeError } from '@tintype/client';

const client = new Tintype({ baseUrl: 'https://images.example.com', apiKey: 'tt_x' });
export async function use(): Promise<void> {
  const upload = await client.upload(new Blob([]), { expiresIn: 3600, signal: new AbortController().signal });
  const type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/svg+xml' | 'image/avif' = upload.contentType;
  const remaining: number | undefined = upload.meta.quota?.remaining;
  const picture = await client.screenshot('https://example.com', { fullPage: true, format: 'webp' });
  const bytes: Uint8Array = picture.bytes;
  const metadata = await client.screenshot('https://example.com', { response: 'json' });
  const width: number = metadata.width;
  // @ts-expect-error the JSON form has no bytes
  void metadata.bytes;
  // @ts-expect-error the byte form has no link
  void picture.url;
  const signal: AbortSignal | undefined = undefined;
  const width2: number | undefined = undefined;
  const either = await client.screenshot('https://example.com', {
    response: Math.random() > 0.5 ? 'json' : 'image', signal, width: width2,
  });
  if ('bytes' in either) either.bytes.slice();
  for await (const item of client.screenshotAll(['https://example.com'])) if (item.ok) item.result.bytes.slice();
  for await (const item of client.pdfAll(['https://example.com'], { response: 'json' })) if (item.ok) item.result.url.trim();
  // @ts-expect-error no such format
  await client.screenshot('https://example.com', { format: 'gif' });
  // @ts-expect-error no such field
  await client.pdf('https://example.com', { full_page: true });
  const { items } = await client.uploadBatch([new Uint8Array(1), 'a.png']);
  for (const item of items) {
    if (item.ok) item.upload.deleteUrl.trim();
    else if (item.error.code === 'file_too_large') item.error.message.trim();
    // @ts-expect-error no such code
    else if (item.error.code === 'rate_limited') return;
  }
  try {
    await client.pdf(new URL('https://example.com'), { margin: { top: '1cm', left: 20 }, paperFormat: 'a4' });
  } catch (error) {
    if (error instanceof TintypeError && error.code === 'quota_exceeded') error.requestId?.trim();
    if (error instanceof TintypeError && error.code === 'a_code_of_a_later_version') return;
    if (error instanceof QuotaExceededError) void (error.code satisfies 'quota_exceeded');
    if (error instanceof RateLimitError) void (error.code satisfies 'rate_limited' | 'concurrency_limited' | 'queue_full');
    // @ts-expect-error it has another class
    if (error instanceof RequestError && error.code === 'quota_exceeded') return;
  }
  const page = await client.uploads.list({ tag: 'sea', limit: 10 });
  const next: string | null = page.nextCursor;
  for await (const { tags, metadataRemoved } of client.uploads.list()) void [tags.length, metadataRemoved.length];
  const made = await client.uploads.create({ url: 'https://example.com/a.png' }, { title: 'A', tags: ['b'], maxViews: 3 });
  made.deleteUrl.trim();
  // @ts-expect-error a read upload has no delete link
  (await client.uploads.get(made.id)).deleteUrl.trim();
  // @ts-expect-error null takes away, and a filename cannot be
  await client.uploads.edit(made.id, { title: null, filename: null });
  await (await client.download(made.fileUrl)).save('a.png', { overwrite: true });
  void next;
  void [type, remaining, bytes, width];
}
`;

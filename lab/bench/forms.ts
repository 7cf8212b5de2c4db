// Upload forms of any size, as they are sent.
import { requestBytes } from '#lab/bench/connection.ts';
import { png } from '#test/support/images.ts';

const boundary = 'a-boundary-of-the-benchmark';

/** A real picture, padded after its end to the wanted size. */
export async function pictureOf(sizeBytes: number): Promise<Buffer> {
  const picture = await png(64, 48);
  return Buffer.concat([picture, Buffer.alloc(Math.max(0, sizeBytes - picture.length), 'noise')]);
}

export function uploadRequest(path: string, key: string, pictures: Buffer[]): Buffer {
  const parts = pictures.flatMap((picture) => [
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n` +
        'content-type: image/png\r\n\r\n',
    ),
    picture,
    Buffer.from('\r\n'),
  ]);
  return requestBytes(
    'POST',
    path,
    { authorization: `Bearer ${key}`, 'content-type': `multipart/form-data; boundary=${boundary}` },
    Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
  );
}

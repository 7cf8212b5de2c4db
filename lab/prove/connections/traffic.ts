// Ordinary clients: uploads and downloads on kept connections, and how long each took.
import { openWire } from '#lab/prove/fuzz/wire.ts';

export interface Traffic {
  requests: number;
  failures: string[];
  p50Ms: number;
  p99Ms: number;
}

const clients = 8;

/** Runs until `isOver`; half uploads, half reads of `slug`. */
export async function runTraffic(
  port: number,
  { key, picture, slug, isOver }: { key: string; picture: Buffer; slug: string; isOver: () => boolean },
): Promise<Traffic> {
  const times: number[] = [];
  const failures: string[] = [];
  const upload = uploadRequest(key, picture);
  const read = Buffer.from(`GET /f/${slug} HTTP/1.1\r\nHost: x\r\n\r\n`);

  async function client(): Promise<void> {
    const wire = openWire(port);
    for (let sent = 0; !isOver(); sent += 1) {
      const isUpload = sent % 2 === 0;
      const startedAt = performance.now();
      try {
        const pieces = [isUpload ? upload : read];
        const answer = await wire.exchange({ method: isUpload ? 'POST' : 'GET', pieces });
        if (answer?.status !== (isUpload ? 201 : 200)) failures.push(String(answer?.status ?? 'closed'));
      } catch (error) {
        failures.push(String(error));
      }
      times.push(performance.now() - startedAt);
    }
    wire.close();
  }

  await Promise.all(Array.from({ length: clients }, client));
  times.sort((left, right) => left - right);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN;
  return { requests: times.length, failures, p50Ms: at(0.5), p99Ms: at(0.99) };
}

/** One upload as the bytes of its request. */
export function uploadRequest(key: string, file: Buffer, filename = 'a.png'): Buffer {
  const body = Buffer.concat([
    Buffer.from(`--XX\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\n\r\n`),
    file,
    Buffer.from('\r\n--XX--\r\n'),
  ]);
  return Buffer.concat([uploadHead(key, `Content-Length: ${body.length}`), body]);
}

export const uploadHead = (key: string, framing: string, path = '/api/v1/upload'): Buffer =>
  Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: multipart/form-data; boundary=XX\r\n${framing}\r\n\r\n`,
  );

// Someone else's uploads next to files whose metadata was made to take long: answered meanwhile, and as fast as ever once those who sent
// them have gone. v2 3.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UploadLink } from '#api/v2/album-schemas.ts';
import { callsOf, type Call } from '#test/support/calls-v2.ts';
import { png } from '#test/support/images.ts';
import { bearer, formOf } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';

const attackMs = 8_000;
/** They do not wait for an answer. */
const patienceMs = 1_000;
/** A file is worked on for 1.5 s of CPU time at most, and two at a time. */
const longestMs = 5_000;

let service: TestService;
let neighbour: Call;
let picture: Buffer;
before(async () => {
  service = await startService({ LOG_LEVEL: 'silent', TRUST_PROXY: 'true' });
  neighbour = callsOf(service.origin, (await service.newKey()).key);
  picture = await png();
});
after(() => service.stop());

async function uploadMs(): Promise<number> {
  const start = performance.now();
  const { status } = await neighbour('POST', '/uploads', { body: formOf([[picture, 'a.png']]) });
  assert.equal(status, 201);
  return performance.now() - start;
}

/** The fastest: the machine may have other work, but no upload is fast while files wait in line. */
async function usualMs(): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < 31; count += 1) times.push(await uploadMs());
  return Math.min(...times);
}

const chunk = (type: string, data: Buffer): Buffer => {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data]);
};
const webp = (inside: Buffer): Buffer =>
  chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), chunk('VP8X', Buffer.alloc(10)), inside]));
const chunks = (count: number): Buffer => Buffer.alloc(8 * count, chunk('none', Buffer.alloc(0)));
const frame = (inside: Buffer): Buffer => chunk('ANMF', Buffer.concat([Buffer.alloc(16), inside]));

function nested(depth: number, count: number): Buffer {
  const inside = chunks(count);
  const frames = Buffer.concat([Buffer.alloc(24 * depth, frame(Buffer.alloc(0))), inside]);
  for (let at = 0; at < 24 * depth; at += 24) frames.writeUInt32LE(frames.length - at - 8, at + 4);
  return webp(frames);
}

/** Small, so that they are sent as fast as they are refused or cleaned. */
const hostile: [name: string, bytes: Buffer][] = [
  ['frames in frames', nested(2_500, 1_500)],
  ['frames in frames, with many chunks', nested(2_500, 15_000)],
  ['frames with as many chunks as a file may have', webp(Buffer.alloc(9 * 88_024, frame(chunks(11_000))))],
  ['frames with more', webp(Buffer.alloc(12 * 88_024, frame(chunks(11_000))))],
];

for (const [name, bytes] of hostile) {
  test(name, async (context) => {
    const before = await usualMs();
    const [first, second] = await Promise.all([service.newKey(), service.newKey()]);
    const link = await callsOf(service.origin, first.key)<UploadLink>('POST', '/upload_links', {
      body: { max_files: 1_000 },
    });
    const end = AbortSignal.timeout(attackMs);
    let [sent, address] = [0, 0];
    async function attack(path: string, key?: string): Promise<void> {
      while (!end.aborted) {
        sent += 1;
        address += 1;
        await fetch(service.origin + path, {
          method: 'POST',
          body: formOf([[bytes, 'a.jpg']]),
          headers: { ...(key && bearer(key)), 'x-forwarded-for': `10.0.${address >> 8}.${address & 255}` },
          signal: AbortSignal.timeout(patienceMs),
        }).then(
          (response) => response.arrayBuffer(),
          () => {},
        );
        // A client of its own would not share our thread.
        await sleep(20);
      }
    }
    const attackers = [
      attack('/api/v2/uploads', first.key),
      attack('/api/v2/uploads', first.key),
      attack('/api/v2/uploads', second.key),
      attack('/api/v2/uploads', second.key),
      attack(new URL(link.body.url!).pathname),
    ];
    const during: number[] = [];
    while (!end.aborted) during.push(await uploadMs());
    await Promise.all(attackers);
    const slowest = Math.max(...during);
    const afterwards = await usualMs();
    context.diagnostic(
      `${sent} files sent; upload ${before.toFixed()} ms, beside them at most ${slowest.toFixed()} ms (${during.length}), afterwards ${afterwards.toFixed()} ms`,
    );
    assert.ok(slowest < longestMs, `an upload took ${slowest} ms`);
    assert.ok(afterwards < 2 * before, `${before} ms before, ${afterwards} ms afterwards`);
  });
}

// Hostile and damaged pictures of every type, uploaded and asked for as variants: each gets a picture or a clear answer, in bounded time,
// the process of the service is the same afterwards, and its event loop is never busy for long. The long form also measures another account
// meanwhile.
import { setTimeout as delay } from 'node:timers/promises';
import { kinds, nothingSeen, visit } from '#lab/prove/neighbours/neighbour.ts';
import { startStage } from '#lab/prove/neighbours/stage.ts';
import type { Finding, Proof, Size } from '#lab/prove/proof.ts';
import { median } from '#lab/prove/renderer.ts';
import { hostilePicture } from '#test/support/hostile-pictures.ts';
import { png } from '#test/support/images.ts';
import { startPageServer } from '#test/support/page-server.ts';
import { rssBytes } from '#test/support/process-table.ts';
import { bearer, formOf } from '#test/support/requests.ts';

const counts: Record<Size, number> = { short: 40, long: 1_000 };
const atOnce = 4;
const maxMiB = 300;
/** Processor time of the event loop at a stretch. */
const maxWorkMs = 50;
/** The limit of one picture, and a wait behind another one. */
const maxAnswerMs = 60_000;
/** How long the neighbour is measured alone, before and after. */
const aloneMs = 10_000;
/** Of the neighbour's medians; smaller differences are noise. */
const [maxSlowdown, allowanceMs] = [1.5, 15];

export const hostilePicturesProof: Proof = {
  name: 'hostile-pictures',
  title: 'Hostile pictures: variants of damaged and hostile pictures',
  run: (size, say) => proveHostilePictures(size, say),
};

async function proveHostilePictures(size: Size, say: (line: string) => void): Promise<Finding[]> {
  const count = counts[size];
  const site = await startPageServer({ '/plain': '<!doctype html><p>plain' });
  const stage = await startStage([site.host]);
  const answers: Record<string, number> = {};
  const wrong: string[] = [];
  let [slowestMs, peakBytes, next] = [0, 0, 0];
  const timer = setInterval(() => (peakBytes = Math.max(peakBytes, rssBytes(stage.pid))), 50);
  try {
    const { origin, account, big } = await stage.targetFor('hostile@example.com', '');
    const neighbour = await stage.targetFor('neighbour@example.com', site.base);
    const picture = await png(200, 200);
    const [alone, beside] = [nothingSeen(), nothingSeen()];
    const visitAlone = () => size === 'long' && visit(neighbour, picture, aloneMs, alone);
    await visit(neighbour, picture, 0, nothingSeen());
    await visitAlone();
    await stage.takePauses();
    const read = async (path: string, init: RequestInit = {}) => {
      const started = performance.now();
      const answer = await fetch(origin + path, init);
      const bytes = Buffer.from(await answer.arrayBuffer());
      slowestMs = Math.max(slowestMs, performance.now() - started);
      return { status: answer.status, type: answer.headers.get('content-type') ?? '', bytes };
    };
    const tryOne = async (number: number): Promise<string> => {
      const body = formOf([[await hostilePicture(number), 'a']]);
      const upload = (path: string) => read(path, { method: 'POST', headers: bearer(account.key), body });
      // Without its metadata it would be refused if it is damaged, so what is asked for a variant is the whole one.
      const cleaned = await upload('/api/v2/uploads');
      if (![201, 415, 422, 429].includes(cleaned.status)) return `upload of version 2 ${cleaned.status}`;
      const stored = await upload('/api/v1/upload');
      if (stored.status === 415 || stored.status === 422) return `upload ${stored.status}`;
      if (stored.status === 429) return delay(1_000).then(() => tryOne(number));
      const { slug } = JSON.parse(stored.bytes.toString()) as { slug: string };
      const width = [64, 640, 2560][number % 3]!;
      for (;;) {
        const variant = await read(`/f/${slug}?width=${width}&format=${['webp', 'jpeg', 'png'][number % 2]}`);
        if (variant.status === 429) await delay(200);
        else return variant.status === 200 ? `variant 200 ${variant.type}` : `variant ${variant.status}`;
      }
    };
    const visits = (async () => {
      while (next < count) await visit(neighbour, picture, 0, beside);
    })();
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (next < count) {
          const number = (next += 1);
          const outcome = await tryOne(number).catch((error: unknown) => String(error));
          answers[outcome] = (answers[outcome] ?? 0) + 1;
          if (!/^(upload 4(15|22)|variant 422|variant 200 image\/(webp|jpeg|png|gif|avif))$/.test(outcome))
            wrong.push(`picture ${number}: ${outcome}`);
          if (number % 100 === 0) say(`${number} of ${count}`);
        }
      }),
    );
    await visits;
    const { workMs } = await stage.takePauses();
    await visitAlone();
    const failures = [...alone.failures, ...beside.failures];
    const medians = kinds.map((kind) => {
      const [before, during] = [alone, beside].map(({ times }) => median(times[kind])) as [number, number];
      return { kind, before, during, isNear: during <= before * maxSlowdown + allowanceMs };
    });
    const ordinary = await read(`/f/${big.slug}?width=640&format=webp`);
    const seen = Object.entries(answers).map(([outcome, times]) => `${times} × ${outcome}`);
    return [
      {
        what: 'every picture gets a variant, itself or a clear refusal',
        seen: `${seen.toSorted().join(', ')}${wrong.length > 0 ? `; ${wrong.slice(0, 3).join('; ')}` : ''}`,
        holds: wrong.length === 0,
      },
      {
        what: 'no answer takes long',
        seen: `${Math.round(slowestMs)} ms at most`,
        holds: slowestMs < maxAnswerMs,
      },
      {
        what: 'an ordinary picture of the same account gets its variant afterwards',
        seen: `${ordinary.status} ${ordinary.type}`,
        holds: ordinary.status === 200 && ordinary.type === 'image/webp',
      },
      {
        what: 'the memory of the service is bounded',
        seen: `${Math.round(peakBytes / 2 ** 20)} MiB at most`,
        holds: peakBytes < maxMiB * 2 ** 20,
      },
      {
        what: 'the event loop of the service is free for others',
        seen: `${Math.round(workMs)} ms of processor time at a stretch at most`,
        holds: workMs <= maxWorkMs,
      },
      {
        what: 'another account is served meanwhile',
        seen:
          failures.length === 0 ? `${beside.times.upload.length} rounds` : failures.slice(0, 3).join('; '),
        holds: failures.length === 0,
      },
      ...(size === 'long'
        ? [
            {
              what: `its median times are at most ${maxSlowdown} times those without the pictures`,
              seen: medians
                .map(
                  ({ kind, before, during }) => `${kind} ${during.toFixed(1)} ms, alone ${before.toFixed(1)}`,
                )
                .join('; '),
              holds: medians.every(({ isNear }) => isNear),
            },
          ]
        : []),
    ];
  } finally {
    clearInterval(timer);
    await stage.stop();
    await site.close();
  }
}

// One process that decodes pictures, as the service sees it. It has an empty environment, a limit of memory and, if the service is root,
// a user of its own.
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { programFile } from '#core/programs.ts';
import { frameHead, readFrames, type FrameKind, type PictureJob } from '#uploads/pictures/frames.ts';
import { maxVariantBytes } from '#uploads/pictures/limits.ts';

export type PictureAnswer =
  | { kind: 'made'; bytes: Buffer }
  | { kind: 'original' }
  /** `refused`: this variant, `unreadable`: any. */
  | { kind: 'refused' | 'unreadable'; reason: string };

export interface PictureProcess {
  readonly pid: number | undefined;
  readonly isGone: boolean;
  readonly jobs: number;
  /** Rejects if the process dies or takes too long. One job at a time. */
  make(job: PictureJob, picture: Readable, sizeBytes: number): Promise<PictureAnswer>;
  kill(): void;
}

/** For the heap and all private memory, of which Node takes 550 MB by itself without using them. Not every system knows the limit. */
const memoryKb = 1_310_720;
const limited = `ulimit -c 0; ulimit -d ${memoryKb} 2>/dev/null; exec "$0" "$@"`;
const startMs = 30_000;
/** More than the process allows itself, which counts only its own work: the machine may be busy. */
const jobMs = 30_000;
/**
 * An SVG can say in one line what takes an hour to draw, and the library that draws it knows no limit of time. Two accounts with such
 * drawings must not keep others' pictures waiting until they are given up.
 */
const drawingMs = 5_000;
const maxReasonCharacters = 100;

export function startPictureProcess(): PictureProcess {
  const child = spawn('/bin/sh', ['-c', limited, process.execPath, programFile('picture-decoder')], {
    cwd: '/',
    // Its own session: signals of the terminal are for the service. It ends when its input does.
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {},
  });
  const ready = Promise.withResolvers<void>();
  let waiting: PromiseWithResolvers<PictureAnswer> | undefined;
  let [isGone, jobs] = [false, 0];

  function end(reason: string): void {
    isGone = true;
    child.kill('SIGKILL');
    const error = new Error(`the process that decodes pictures is gone: ${reason}`);
    ready.reject(error);
    waiting?.reject(error);
  }

  function onFrame(kind: FrameKind, data: Buffer): void {
    if (kind === 'ready') return ready.resolve();
    const answer = toAnswer(kind, data);
    if (!answer || !waiting) return end('it sent what nobody asked for');
    waiting.resolve(answer);
    waiting = undefined;
  }

  child.once('error', (error) => end(error.message));
  child.once('exit', () => end('it has ended'));
  child.stdin.on('error', (error) => end(error.message));
  readFrames(child.stdout, maxVariantBytes, { onFrame, onBroken: end });
  // Whoever waits for it knows.
  ready.promise.catch(() => {});
  // An idle process must not keep the service alive.
  child.unref();
  for (const stream of [child.stdin, child.stdout]) (stream as unknown as { unref(): void }).unref();

  async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
    const timer = setTimeout(() => end(`${what} took more than ${ms} ms`), ms);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  }

  async function send(picture: Readable): Promise<void> {
    for await (const chunk of picture as AsyncIterable<Buffer>) {
      await new Promise<void>((resolve, reject) =>
        child.stdin.write(chunk, (error) => (error ? reject(error) : resolve())),
      );
    }
  }

  return {
    get pid() {
      return child.pid;
    },
    get isGone() {
      return isGone;
    },
    get jobs() {
      return jobs;
    },
    async make(job, picture, sizeBytes) {
      jobs += 1;
      await within(startMs, 'its start', ready.promise);
      waiting = Promise.withResolvers<PictureAnswer>();
      const { promise } = waiting;
      // The job may fail while its picture is still being sent.
      promise.catch(() => {});
      const text = Buffer.from(JSON.stringify(job));
      child.stdin.write(
        Buffer.concat([frameHead('job', text.length), text, frameHead('picture', sizeBytes)]),
      );
      const sent = send(picture).catch((error: Error) => end(error.message));
      const isDrawing = job.isDrawing === true;
      const answer = await within(
        isDrawing ? drawingMs : jobMs,
        isDrawing ? 'a drawing' : 'a picture',
        promise,
      );
      await sent;
      return answer;
    },
    kill: () => end('it is not needed any more'),
  };
}

function toAnswer(kind: FrameKind, data: Buffer): PictureAnswer | undefined {
  if (kind === 'made') return { kind, bytes: data };
  if (kind === 'original') return { kind };
  if (kind === 'refused' || kind === 'unreadable')
    return { kind, reason: data.toString('latin1', 0, maxReasonCharacters) };
  return undefined;
}

// Runs a library for PDFs in a thread. What pages put into a PDF may take such a library minutes, or more memory than there is: then
// only this render fails, and the worker goes on answering.
import { once } from 'node:events';
import { Worker, type Transferable } from 'node:worker_threads';
import { RenderFailure } from '#browser/browser.ts';

export interface LibraryThread<Calls extends Record<keyof Calls, Call>> extends AsyncDisposable {
  /** One at a time. Buffers among the arguments are moved to the thread. */
  call<Name extends keyof Calls & string>(
    name: Name,
    argument: Parameters<Calls[Name]>[0],
    signal: AbortSignal,
    moved?: Transferable[],
  ): Promise<Awaited<ReturnType<Calls[Name]>>>;
}

// oxlint-disable-next-line typescript/no-explicit-any
type Call = (argument: any) => unknown;

interface ThreadOptions<Calls> {
  /** The text of a library that assigns `module.exports`. */
  library: string;
  /** Runs in the thread, with nothing of what surrounds it here. */
  // oxlint-disable-next-line typescript/no-explicit-any
  create: (library: any, data: never) => Calls | Promise<Calls>;
  data?: unknown;
}

/** 2,000 pages with their tags take 300 MB. */
const resourceLimits = { maxOldGenerationSizeMb: 768, stackSizeMb: 4 };

export function openLibraryThread<Calls extends Record<keyof Calls, Call>>({
  library,
  create,
  data,
}: ThreadOptions<Calls>): LibraryThread<Calls> {
  const thread = new Worker(programOf(library, create), {
    eval: true,
    workerData: data,
    env: {},
    resourceLimits,
    stdout: true,
    stderr: true,
  });
  // Nobody listens any more when it is terminated.
  thread.on('error', () => {});
  return {
    async call(name, argument, signal, moved = []) {
      thread.postMessage([name, argument], moved);
      const [answer] = (await once(thread, 'message', { signal }).catch((error: unknown) => {
        throw signal.aborted ? signal.reason : tooLarge(error);
      })) as [Answer];
      if ('failed' in answer)
        throw new RenderFailure('unprintable', 'the PDF of the page could not be read', {
          cause: answer.failed,
        });
      return answer.result as never;
    },
    async [Symbol.asyncDispose]() {
      await thread.terminate();
    },
  };
}

type Answer = { result: unknown } | { failed: string };

const tooLarge = (cause: unknown): RenderFailure =>
  new RenderFailure('too_large', 'the PDF of the page is too large to be worked on', { cause });

/** Buffers of a result are moved, not copied. */
const programOf = (library: string, create: ThreadOptions<unknown>['create']): string => `${library}
const { parentPort, workerData } = require('node:worker_threads');
const calls = Promise.resolve((${String(create)})(module.exports, workerData));
parentPort.on('message', async ([name, argument]) => {
  try {
    const result = await (await calls)[name](argument);
    parentPort.postMessage({ result }, result instanceof Uint8Array ? [result.buffer] : []);
  } catch (error) {
    parentPort.postMessage({ failed: String(error) });
  }
});`;

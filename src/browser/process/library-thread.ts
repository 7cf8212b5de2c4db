// Runs a library in a thread. What a stranger has written may take it minutes, or more stack or memory than there is: then only this render
// fails, and the worker goes on answering. The program is a text, because the user that the worker becomes may not be allowed to open files.
import { once } from 'node:events';
import { Worker, type Transferable } from 'node:worker_threads';

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
  memoryMb: number;
  /** What a call is refused with if the library fails. */
  unreadable: (cause: unknown) => Error;
  /** The same if the thread ends. */
  tooLarge: (cause: unknown) => Error;
}

export function openLibraryThread<Calls extends Record<keyof Calls, Call>>({
  library,
  create,
  data,
  memoryMb,
  unreadable,
  tooLarge,
}: ThreadOptions<Calls>): LibraryThread<Calls> {
  const thread = new Worker(programOf(library, create), {
    eval: true,
    workerData: data,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, stackSizeMb: 4 },
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
      if ('failed' in answer) throw unreadable(answer.failed);
      return answer.result as never;
    },
    async [Symbol.asyncDispose]() {
      await thread.terminate();
    },
  };
}

type Answer = { result: unknown } | { failed: string };

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

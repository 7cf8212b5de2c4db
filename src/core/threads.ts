// Starts a program of programs.ts as a worker thread.
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { programFile, type programs } from '#core/programs.ts';

/** Does not keep the process alive unless `ref` is called. */
export function startThread(program: keyof typeof programs, options: WorkerOptions = {}): Worker {
  const cacheFolder = getCompileCacheDir();
  const worker = new Worker(programFile(program), {
    name: program,
    execArgv: ['--enable-source-maps'],
    // Nothing of the environment but where compiled code is kept: the thread is ready in half the time.
    env: cacheFolder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cacheFolder) },
    ...options,
  });
  worker.unref();
  return worker;
}

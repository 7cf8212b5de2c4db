// The service as the child process of a proof: the product, with what the proof puts into its seams. The argument is JSON.
// node lab/prove/serve.ts '{"crashFile":"…"}'
import { readFileSync } from 'node:fs';
import type { OnCrashPoint } from '#core/crash-points.ts';
import { readConfig } from '#roof/config.ts';
import { endOnFault } from '#roof/last-resort.ts';
import { createLog } from '#roof/log.ts';
import { createService } from '#roof/service.ts';

export interface ServeOptions {
  /** Names the point at which the process ends as if by kill -9; none if the file does not exist. */
  crashFile?: string;
  /** Names the point at which an uncaught error is thrown, or a promise is rejected that nobody awaits. */
  faultFile?: string;
}

export const serveCommand = (options: ServeOptions): string[] => [
  process.execPath,
  import.meta.filename,
  JSON.stringify(options),
];

if (import.meta.main) {
  const { crashFile, faultFile } = JSON.parse(process.argv[2] ?? '{}') as ServeOptions;
  const config = readConfig();
  const log = createLog(config.logLevel);
  const service = await createService(config, log, {
    ...(crashFile !== undefined && { reached: crashingAt(crashFile) }),
    ...(faultFile !== undefined && { reached: faultAt(faultFile) }),
  });
  endOnFault(log, () => service);
  await service.listen();
  process.once('SIGTERM', () => void service.close().then(() => process.exit(0)));
}

function crashingAt(file: string): OnCrashPoint {
  return (point) => {
    if (readNow(file) === point) process.kill(process.pid, 'SIGKILL');
  };
}

/** The file holds `throw` or `reject` and the point; the request itself continues. */
function faultAt(file: string): OnCrashPoint {
  return (point) => {
    const planted = readNow(file);
    if (planted === `throw ${point}`) setImmediate(() => fail());
    if (planted === `reject ${point}`) void Promise.reject(new Error('a planted fault'));
  };
}

function fail(): never {
  throw new Error('a planted fault');
}

function readNow(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

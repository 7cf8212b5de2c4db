// Work that many callers need at once and that may be done once for all of them, such as syncing a folder.

/**
 * Resolves when a run that began after the call has ended. A caller that asks while a run is under way shares the next one with all
 * others that do: the current one may have missed its change.
 */
export function createSharedRun(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function run(): Promise<void> {
    try {
      await work();
    } finally {
      running = undefined;
    }
  }
  async function runAfter(current: Promise<void>): Promise<void> {
    await current.catch(() => {});
    next = undefined;
    await (running ??= run());
  }
  return () => {
    if (running) return (next ??= runAfter(running));
    return (running = run());
  };
}

// How long each phase of some work took. Work that fails keeps what was measured until then, including the phase that failed.

export type Phases = Readonly<ReturnType<typeof createPhases>>;

export function createPhases() {
  /** By name, in the order in which the phases began. */
  const measuredMs: Record<string, number> = {};
  let current: { name: string; startedAt: number } | undefined;
  function end(): void {
    if (current) measuredMs[current.name]! += performance.now() - current.startedAt;
    current = undefined;
  }
  return {
    /** Ends the current phase and begins this one; time in a phase of the same name adds up. */
    begin(name: string): void {
      end();
      measuredMs[name] ??= 0;
      current = { name, startedAt: performance.now() };
    },
    end,
    measuredMs,
  };
}

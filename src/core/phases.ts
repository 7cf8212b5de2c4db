// How long each phase of some work took. Work that fails keeps what was measured until then, including the phase that failed.

export interface Phases {
  /** Ends the current phase and begins this one; time in a phase of the same name adds up. */
  begin(name: string): void;
  end(): void;
  /** Milliseconds by name, in the order in which the phases began. */
  readonly measuredMs: Readonly<Record<string, number>>;
}

export function createPhases(): Phases {
  const measuredMs: Record<string, number> = {};
  let current: { name: string; startedAt: number } | undefined;
  function end(): void {
    if (current) measuredMs[current.name]! += performance.now() - current.startedAt;
    current = undefined;
  }
  return {
    begin(name) {
      end();
      measuredMs[name] ??= 0;
      current = { name, startedAt: performance.now() };
    },
    end,
    measuredMs,
  };
}

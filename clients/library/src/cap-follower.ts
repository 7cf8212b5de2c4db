// How many renders to have under way. The cap of the plan is told nowhere but in a refusal, so this starts with one, adds one
// with each success, steps back at a refusal, and asks again now and then: the cap may have risen, or another key be done.
const successesBeforeAsking = 50;

export interface CapFollower {
  /** Whether one more may start now. */
  hasRoom(): boolean;
  start(): void;
  end(outcome: 'done' | 'refused' | 'failed'): void;
  /** Renders that are let run at once, and those that do. */
  state(): { limit: number; running: number };
}

export function createCapFollower(ceiling: number): CapFollower {
  let limit = 1;
  let running = 0;
  let isCapKnown = false;
  let successes = 0;
  return {
    hasRoom: () => running < limit,
    start() {
      running += 1;
    },
    end(outcome) {
      running -= 1;
      if (outcome === 'refused') {
        isCapKnown = true;
        successes = 0;
        limit = Math.max(1, Math.min(limit, running));
      } else if (outcome === 'done') {
        successes += 1;
        if (isCapKnown && successes < successesBeforeAsking) return;
        successes = 0;
        limit = Math.min(ceiling, limit + 1);
      }
    },
    state: () => ({ limit, running }),
  };
}

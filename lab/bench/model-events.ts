// Events of a simulation, ordered by time: a binary heap.

export interface Events {
  now(): number;
  after(ms: number, run: () => void): void;
  runUntil(endMs: number): void;
}

interface Event {
  at: number;
  /** Of two events at the same time, the one that was scheduled first comes first. */
  order: number;
  run: () => void;
}

export function createEvents(): Events {
  const heap: Event[] = [];
  let now = 0;
  let order = 0;
  const isBefore = (left: Event, right: Event): boolean =>
    left.at < right.at || (left.at === right.at && left.order < right.order);

  function push(event: Event): void {
    let place = heap.push(event) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[place] = heap[parent]!;
      place = parent;
    }
    heap[place] = event;
  }

  function pop(): Event | undefined {
    const first = heap[0];
    const last = heap.pop();
    if (!last || heap.length === 0) return first;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = last;
    return first;
  }

  return {
    now: () => now,
    after: (ms, run) => push({ at: now + ms, order: (order += 1), run }),
    runUntil(endMs) {
      for (let next = pop(); next && next.at <= endMs; next = pop()) {
        now = next.at;
        next.run();
      }
    },
  };
}

// Pseudo-random numbers: the same seed and case number give the same case again, whatever ran before it.

export interface Random {
  /** A whole number from 0 to below `end`. */
  below(end: number): number;
  between(first: number, last: number): number;
  /** True in this percentage of calls. */
  percent(share: number): boolean;
  pick<T>(list: readonly T[]): T;
  bytes(count: number): Buffer;
}

export function createRandom(seed: number, caseNumber: number): Random {
  let state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(caseNumber + 1, 0xc2b2ae35)) >>> 0;

  /** Mulberry32: 32 bits of state are enough for one case. */
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  const below = (end: number): number => Math.floor(next() * end);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  return {
    below,
    between: (first, last) => first + below(last - first + 1),
    percent: (share) => next() * 100 < share,
    pick,
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => below(256))),
  };
}

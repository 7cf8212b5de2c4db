// The time of the service. Relative times are counted from it, because the clock of the reader's device can be far off.
let aheadMs = 0;

/** From the Date header of a response. It has whole seconds and the network takes time, so a minute does not count. */
export function noteServiceTime(date: string | null): void {
  const differenceMs = Date.parse(date ?? '') - Date.now();
  aheadMs = Math.abs(differenceMs) > 60_000 ? differenceMs : 0;
}

export const serviceNow = (): number => Date.now() + aheadMs;

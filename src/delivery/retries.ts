// When a webhook that was not taken is tried again: eight attempts over a day.

const minute = 60_000;
const hour = 60 * minute;

/** After each attempt but the last; 23 h 36 min in all. */
const delaysMs = [5_000, minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 15 * hour];

export const maxAttempts = delaysMs.length + 1;

/** Up to a tenth earlier or later, so that what failed together does not return together. Null after the last attempt. */
export function nextAttemptAt(attempts: number, now: number, random = Math.random()): number | null {
  const delayMs = delaysMs[attempts - 1];
  return delayMs === undefined ? null : now + Math.round(delayMs * (0.9 + 0.2 * random));
}

// When a version of Chromium was released. Its age counts from that day and not from the day on which a file was unpacked: an old image on
// a new machine is an old browser.

/** Chromium gets security fixes every week, so a browser older than this lacks several. */
export const oldAfterDays = 45;

/**
 * Milestone and the day of its stable release, on every desktop system. Fixes of a milestone come until the next one, so that a browser is at
 * most two weeks younger than its row says.
 */
const releases: readonly (readonly [milestone: number, day: string])[] = [
  [120, '2023-12-05'],
  [121, '2024-01-23'],
  [122, '2024-02-20'],
  [123, '2024-03-19'],
  [124, '2024-04-16'],
  [125, '2024-05-14'],
  [126, '2024-06-11'],
  [127, '2024-07-23'],
  [128, '2024-08-20'],
  [129, '2024-09-17'],
  [130, '2024-10-15'],
  [131, '2024-11-12'],
  [132, '2025-01-14'],
  [133, '2025-02-04'],
  [134, '2025-03-04'],
  [135, '2025-04-01'],
  [136, '2025-04-29'],
  [137, '2025-05-27'],
  [138, '2025-06-24'],
  [139, '2025-08-05'],
  [140, '2025-09-02'],
  [141, '2025-09-30'],
  [142, '2025-10-28'],
  [143, '2025-12-02'],
  [144, '2026-01-13'],
  [145, '2026-02-10'],
  [146, '2026-03-10'],
  [147, '2026-04-07'],
  [148, '2026-05-05'],
  [149, '2026-06-02'],
  [150, '2026-06-30'],
  [151, '2026-07-28'],
  [152, '2026-08-25'],
  [153, '2026-09-08'],
  [154, '2026-09-22'],
  [155, '2026-10-06'],
  [156, '2026-10-20'],
  [157, '2026-11-03'],
  [158, '2026-11-17'],
];
/** Between two milestones, since 153. */
const rhythmDays = 14;
const dayMs = 24 * 60 * 60_000;

/**
 * A milestone newer than the table is dated by the rhythm from its last row: a browser that is kept up to date must not grow old because Tintype
 * was not upgraded. An older one counts from the first row, and so does a version that is none: they are old in any case.
 */
export function releaseOf(version: string): Date {
  const milestone = Number.parseInt(version, 10);
  const [last, lastDay] = releases.at(-1)!;
  if (milestone > last) return new Date(Date.parse(lastDay) + (milestone - last) * rhythmDays * dayMs);
  const [, day] = releases.findLast(([known]) => known <= milestone) ?? releases[0]!;
  return new Date(day);
}

/** In whole days; 0 for a build from before its stable release. */
export const daysSince = (release: Date, now: number): number =>
  Math.max(0, Math.floor((now - release.getTime()) / dayMs));

/** "released on 2026-11-17, 2 days ago" */
export function describeRelease(release: Date, now: number): string {
  const day = release.toISOString().slice(0, 10);
  const days = daysSince(release, now);
  if (days === 0) return `released on ${day}`;
  return `released on ${day}, ${days} day${days === 1 ? '' : 's'} ago`;
}

export const isOld = (release: Date, now: number): boolean => daysSince(release, now) > oldAfterDays;

/** By its numbers: 158.0.9 is older than 158.0.10. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.split('.').map(Number));
  for (let index = 0; index < Math.max(a!.length, b!.length); index += 1) {
    const difference = (a![index] ?? 0) - (b![index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

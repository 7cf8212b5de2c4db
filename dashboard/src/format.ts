// Formats numbers, sizes and times: numbers and dates in the reader's locale and time zone, sentences in English.
import type { Key } from '#console/views.ts';
import { serviceNow } from '#app/clock.ts';

/** undefined is the browser's default locale. navigator.language is not used, because Intl may not accept its value. */
export const ownForm = undefined;
const whole = new Intl.NumberFormat(ownForm);
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

export const number = (value: number): string => whole.format(value);

const day = { day: 'numeric', month: 'short' } as const;
const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const year = { year: 'numeric' } as const;

export const date = (iso: string): string => written(iso, { ...day, ...year });
/** Day and time of day, with the year unless it is the current one. */
export const time = (iso: string): string =>
  written(iso, { ...day, ...clock, ...(new Date(iso).getFullYear() !== new Date().getFullYear() && year) });
/** To the second, for a log. */
export const exactTime = (iso: string): string =>
  written(iso, { ...day, ...year, ...clock, second: '2-digit' });

const written = (iso: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(ownForm, options).format(new Date(iso));

/** `1 upload`, `3 uploads`. */
export const plural = (count: number, noun: string): string =>
  `${number(count)} ${noun}${count === 1 ? '' : 's'}`;

export function bytes(count: number | null): string {
  if (count === null) return '–';
  if (count < 1024) return `${count} B`;
  if (count < 1024 ** 2) return `${(count / 1024).toFixed(1)} KB`;
  if (count < 1024 ** 3) return `${(count / 1024 ** 2).toFixed(1)} MB`;
  return `${(count / 1024 ** 3).toFixed(2)} GB`;
}

export function duration(ms: number | null): string {
  if (ms === null) return '–';
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** `in 3 days`, `2 minutes ago`. From 99% of a unit on it is that unit: an expiry just set to a day is `in 1 day`. */
export function ago(iso: string, now = serviceNow()): string {
  const seconds = Math.round((new Date(iso).getTime() - now) / 1000);
  // Lifetimes are given in days: thirty of them are not called a month.
  const [unit, size] = steps.find(
    ([name, length]) => Math.abs(seconds) >= length * (name === 'month' ? 2 : 0.99),
  ) ?? ['second', 1];
  if (unit === 'second') return seconds > 0 ? 'in less than a minute' : 'just now';
  return relative.format(Math.round(seconds / size), unit);
}

export const isWithin = (iso: string, ms: number): boolean => new Date(iso).getTime() - serviceNow() < ms;

export function uptime(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor((seconds % 86_400) / 3_600);
  const minutes = Math.floor((seconds % 3_600) / 60);
  if (days > 0) return `${plural(days, 'day')}, ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min` : 'less than a minute';
}

/** A link's lifetime in whole units, such as `30 days`. */
export function span(seconds: number): string {
  const [unit, size] = steps.slice(2).find(([, length]) => seconds >= length && seconds % length === 0) ?? [
    'second',
    1,
  ];
  return plural(seconds / size, unit);
}

/** What a key may be used for. */
export const scopeNames: Record<Key['scope'], string> = {
  all: 'Uploads and renders',
  uploads: 'Uploads only',
  renders: 'Renders only',
};

/** A key's own quotas, and what it has used of them. */
export const ownQuotaOf = (key: Key) =>
  (['upload', 'render'] as const).flatMap((unit) => {
    const limit = key[`${unit}s_per_month`];
    return limit === null ? [] : [{ unit, used: key.month[unit], limit }];
  });

// Numbers, sizes and times as people read them.
const whole = new Intl.NumberFormat('en');
const dates = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' });
const times = new Intl.DateTimeFormat('en', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

export const number = (value: number): string => whole.format(value);
export const date = (iso: string): string => dates.format(new Date(iso));
export const time = (iso: string): string => times.format(new Date(iso));
/** `one upload`, `3 uploads`. */
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

/** `in 3 days`, `2 minutes ago`. */
export function ago(iso: string, now = Date.now()): string {
  const seconds = Math.round((new Date(iso).getTime() - now) / 1000);
  const [unit, size] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return unit === 'second' ? 'just now' : relative.format(Math.trunc(seconds / size), unit);
}

export const isWithin = (iso: string, ms: number): boolean => new Date(iso).getTime() - Date.now() < ms;

export function uptime(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor((seconds % 86_400) / 3_600);
  const minutes = Math.floor((seconds % 3_600) / 60);
  if (days > 0) return `${plural(days, 'day')}, ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min` : 'less than a minute';
}

/** A life of a link in whole units, such as `30 days`. */
export function span(seconds: number): string {
  const [unit, size] = steps.slice(2).find(([, length]) => seconds >= length && seconds % length === 0) ?? [
    'second',
    1,
  ];
  return plural(seconds / size, unit);
}

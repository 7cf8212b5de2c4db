// Values that differ with each run, and the names that recorded exchanges have for them. A value has the same name throughout a
// sequence, and another value has another name.
export type Names = ReturnType<typeof createNames>;

const isoTime = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const httpTime = /(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/g;
const shownTime = /\d{4}-\d\d-\d\d \d\d:\d\d UTC/g;

/** Times are named by their distance from the start of the sequence. */
export function createNames(startedAt: number) {
  const values = new Map<string, string>();

  /** Returns its name. */
  function give(kind: string, value: string): string {
    for (const [name, known] of values) if (known === value) return name;
    let name = `<${kind}>`;
    for (let count = 2; values.has(name); count += 1) name = `<${kind} ${count}>`;
    values.set(name, value);
    return name;
  }

  function hide(text: string): string {
    let hidden = text;
    for (const [name, value] of values) hidden = hidden.replaceAll(value, name);
    return hidden
      .replace(isoTime, (time) => nameOfTime(Date.parse(time)))
      .replace(httpTime, (time) => nameOfTime(Date.parse(time)))
      .replace(shownTime, nameOfMinute);
  }

  /** Also writes out repeated letters: `<a × 70000>`. */
  function reveal(text: string): string {
    let revealed = text;
    for (const [name, value] of values) revealed = revealed.replaceAll(name, value);
    return revealed
      .replace(/<start(?: ([+-]) (\d+) s)?>/g, (_, sign: string | undefined, seconds = '0') =>
        new Date(startedAt + Number(`${sign ?? ''}${seconds}`) * 1000).toUTCString(),
      )
      .replace(/<(.) × (\d+)>/g, (_, letter: string, times: string) => letter.repeat(Number(times)));
  }

  function nameOfTime(time: number): string {
    const seconds = Math.floor((time - startedAt) / 1000);
    if (seconds === 0) return '<start>';
    return `<start ${seconds < 0 ? '-' : '+'} ${Math.abs(seconds)} s>`;
  }

  function nameOfMinute(shown: string): string {
    const minuteOf = (time: number): number => Math.floor(time / 60_000);
    const minutes = minuteOf(Date.parse(shown.replace(' UTC', 'Z'))) - minuteOf(startedAt);
    return minutes === 0 ? '<minute of start>' : `<minute of start + ${minutes}>`;
  }

  return { give, hide, reveal };
}

/** `change` for every text in a JSON value. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, mapTexts(entry, change)]));
}

// Whether a name was likely meant: a slip or two of the hand, or the beginning of it.

export function isNear(typed: string, known: string): boolean {
  if (typed.length >= 3 && known.startsWith(typed)) return true;
  // A long text is no slip, and its distance would take long.
  if (Math.abs(typed.length - known.length) > 2) return false;
  return distance(typed, known) <= (known.length > 4 ? 2 : 1);
}

/** Levenshtein's: letters to add, leave out or change. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

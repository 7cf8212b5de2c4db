// The name that was probably meant.

/** Up to two letters away, or one if the name is short; two neighbours in the wrong order count as one. */
export function nearName(typed: string, names: string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, distance: distanceOf(typed, name) }))
    .filter(({ name, distance }) => distance <= (Math.min(typed.length, name.length) < 5 ? 1 : 2))
    .sort((left, right) => left.distance - right.distance);
  return ranked[0]?.name;
}

function distanceOf(left: string, right: string): number {
  const rows = [Array.from({ length: right.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= left.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const at = (up: number, back: number): number =>
        (up === 0 ? row : rows[i - up])?.[j - back] ?? Infinity;
      const isSwap = left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      const change = left[i - 1] === right[j - 1] ? 0 : 1;
      row.push(Math.min(at(1, 0) + 1, at(0, 1) + 1, at(1, 1) + change, isSwap ? at(2, 2) + 1 : Infinity));
    }
    rows.push(row);
  }
  return rows.at(-1)?.at(-1) ?? 0;
}

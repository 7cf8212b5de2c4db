// Counts how many elements a document has once every `use` is expanded: a few lines of nested `use` can expand to billions, which
// would hang every viewer of the image.

interface Part {
  /** Its own elements, without those of inner parts that have ids. */
  elements: number;
  uses: string[];
  parts: Part[];
  expanded?: number;
  isOpen?: boolean;
}

const newPart = (): Part => ({ elements: 0, uses: [], parts: [] });
const maxChain = 500;

export function createUseExpansion(maxElements: number) {
  const whole = newPart();
  const byId = new Map<string, Part>();
  const open: Part[] = [whole];

  /** Returns Infinity for more than the limit. */
  function expand(part: Part, chain: number): number {
    // Browsers do not draw a part that refers to itself.
    if (part.isOpen) return 0;
    if (part.expanded !== undefined) return part.expanded;
    if (chain > maxChain) return Infinity;
    part.isOpen = true;
    let total = part.elements;
    for (const inner of part.parts) total += expand(inner, chain + 1);
    for (const id of part.uses) {
      const target = byId.get(id);
      if (target !== undefined) total += expand(target, chain + 1);
      if (total > maxElements) break;
    }
    part.isOpen = false;
    part.expanded = total > maxElements ? Infinity : total;
    return part.expanded;
  }

  return {
    /** `id` of the element and target of a `use`, if it has them; `inside` counts what an SVG embedded in it shows. */
    enter(id: string | undefined, target: string | undefined, inside = 0): void {
      let part = open.at(-1)!;
      if (id !== undefined) {
        part = newPart();
        open.at(-1)!.parts.push(part);
        if (!byId.has(id)) byId.set(id, part);
      }
      open.push(part);
      part.elements += 1 + inside;
      if (target !== undefined) part.uses.push(target);
    },
    leave(): void {
      open.pop();
    },
    /** Infinity if there are more than `maxElements`. */
    shownElements: (): number => expand(whole, 0),
  };
}

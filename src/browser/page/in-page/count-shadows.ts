// How many shadows of a page are blurred. Run in the isolated world of a page, as page-tools.ts.

interface Found {
  shadows: number;
  pictures: number;
}

/** Looks at so many elements of the document at most. */
export function countShadows(maxElements: number): Found {
  /** Finds a blur in `rgb(0, 0, 0) 0px 2px 12px 0px, …` and `drop-shadow(rgb(0, 0, 0) 0px 2px 12px)`. The third length blurs. */
  const blurred = /\) -?[\d.]+px -?[\d.]+px (?:[1-9]|0\.)/;
  const elements = document.querySelectorAll('*');
  let shadows = 0;
  for (let place = 0; place < Math.min(elements.length, maxElements); place += 1) {
    const { boxShadow, textShadow, filter } = getComputedStyle(elements[place]!);
    if ([boxShadow, textShadow, filter].some((value) => blurred.test(value))) shadows += 1;
  }
  return { shadows, pictures: document.images.length };
}

// What a tool shows of a page. Models scale a picture to 1,568 px a side themselves, so a taller page is shown in parts of that height:
// clips of one load, which the service makes. A render that fails spends nothing, so a part beyond the end of the page costs only time.
import type { Render } from '../../library/src/contract.ts';
import { TintypeError } from '../../library/src/errors.ts';
import { camelName } from '../../library/src/letter-case.ts';
import type { RenderFields } from '../../library/src/renders.ts';
import { outputFields } from '../../shared/src/requests.ts';

export const longestSide = 1568;
/** With the whole picture and the accessibility tree they are the five outputs that a render may have. */
export const partsAtOnce = 3;

export type Output = NonNullable<RenderFields['outputs']>[number];

export interface View {
  output: Output;
  /** Counted from 1; undefined if the page is shown as one picture. */
  part?: number;
}

const viewport = { width: 1440, height: 900 };
const smaller = { width: longestSide, height: longestSide };

/** They stand beside the fields of the page in a request. */
const outputNames = outputFields.map(camelName);

export function splitFields(fields: RenderFields): { page: RenderFields; output: Output } {
  const entries = Object.entries(fields);
  const isOfOutput = ([name]: [string, unknown]): boolean => outputNames.includes(name);
  return {
    page: Object.fromEntries(entries.filter((entry) => !isOfOutput(entry))),
    output: Object.fromEntries(entries.filter(isOfOutput)),
  };
}

/** The pictures that show this output, none larger than models accept. */
export function viewsOf(page: RenderFields, whole: Output, firstPart = 1): View[] {
  if (isSmall(page, whole)) return [{ output: whole }];
  const { compareTo: _compared, fullPage: isFull, ...output } = whole;
  const { width = page.device === undefined ? viewport.width : undefined } = page.viewport ?? {};
  // The width of a device is known to the service alone.
  if (!isFull || width === undefined) return [{ output: shrunk(whole) }];
  // A wide page is made smaller, so its parts are as tall as they are wide.
  const height = Math.max(longestSide, width);
  return Array.from({ length: partsAtOnce }, (_, index) => {
    const part = firstPart + index;
    const clip = { x: 0, y: (part - 1) * height, width, height };
    return { part, output: { ...output, clip, resize: smaller } };
  });
}

/** Whether it can be shown as it is. */
function isSmall(page: RenderFields, { resize, fullPage, selector, clip, page: printed }: Output): boolean {
  if (resize) return true;
  if (fullPage || selector !== undefined || printed !== undefined || page.device !== undefined) return false;
  const { pixelRatio = 1, ...view } = { ...viewport, ...defined(page.viewport) };
  const { width, height } = clip ?? view;
  return Math.max(width, height) * pixelRatio <= longestSide;
}

const defined = <T extends object>(fields: T | undefined): T =>
  Object.fromEntries(Object.entries(fields ?? {}).filter(([, value]) => value !== undefined)) as T;

/** As one picture. Only pictures of the same size can be compared, so this one is not. */
function shrunk({ compareTo: _compared, ...output }: Output): Output {
  return { ...output, resize: smaller };
}

/** Calls `make` with the views, and with fewer if the page ends before the last. */
export async function makeViews<Made>(
  views: View[],
  whole: Output,
  make: (views: View[]) => Promise<Made>,
): Promise<{ made: Made; views: View[]; isEnd: boolean }> {
  try {
    return { made: await make(views), views, isEnd: false };
  } catch (error) {
    const missing = missingView(error, views);
    if (missing === undefined) throw error;
    const [first] = views;
    if (missing === 0)
      throw new TintypeError(
        'validation_error',
        `part: there is no part ${first?.part}: ${(error as Error).message}`,
      );
    // A page that ends in its first part is one picture, without what would be empty below its end.
    const isOne = missing === 1 && first?.part === 1;
    const left: View[] = isOne ? [{ output: shrunk(whole) }] : views.slice(0, missing);
    return { made: await make(left), views: left, isEnd: true };
  }
}

/** The place of the first view beyond the end of the page, if that is why the render failed. */
function missingView(error: unknown, views: View[]): number | undefined {
  if (!(error instanceof TintypeError) || error.reason !== 'selector_missing') return undefined;
  const place = Number(/^outputs\[(\d)\]\.clip$/.exec(error.field ?? '')?.[1] ?? NaN);
  return views[place]?.part === undefined ? undefined : place;
}

/** Which parts are shown, and how to see the next; undefined for a page that is one picture. */
export function partsShown(views: View[], isEnd: boolean): Record<string, unknown> | undefined {
  const [first, last] = [views[0], views.at(-1)];
  const { y = 0, height = 0 } = last?.output.clip ?? {};
  if (first?.part === undefined || last?.part === undefined) {
    const isStrip = first?.output.fullPage === true && first.output.resize === smaller && !isEnd;
    return isStrip
      ? { end: 'One picture, made smaller. Give viewport.width too for legible parts.' }
      : undefined;
  }
  return {
    parts: `${first.part} to ${last.part}`,
    from_y: first.output.clip?.y,
    to_y: y + height,
    ...(isEnd
      ? { end: 'The page ends in the last part; below its end the picture is empty.' }
      : {
          next_part: last.part + 1,
          end: `The page may go on. For what follows, call again with part: ${last.part + 1}.`,
        }),
  };
}

export const labelOf = ({ part, output: { clip } }: View): string =>
  part === undefined || !clip
    ? ''
    : `Part ${part}: the page from y = ${clip.y} to ${clip.y + clip.height} CSS px.`;

/** The fields of the receipt that say something about one output. */
export const factsOf = (output: Render['outputs'][number] | undefined) => ({
  content_type: output?.contentType,
  size_bytes: output?.sizeBytes,
  width: output?.width ?? undefined,
  height: output?.height ?? undefined,
  pages: output?.pages ?? undefined,
  difference: output?.difference ?? undefined,
  changed_box: output?.difference === null ? undefined : output?.changedBox,
  truncated: output?.truncated === true ? true : undefined,
});

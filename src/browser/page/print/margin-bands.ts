// Prints what stands in the top and bottom margins of a document: as documents of their own, whose pages are bands as wide as the paper.
// They run no scripts, and find files and addresses as the document of the render does.
import { RenderFailure } from '#browser/browser.ts';
import { noChanges, plainPdf, type MarginHtml, type PdfOutput, type Task } from '#browser/job.ts';
import { fieldOf, type Attempt } from '#browser/page/attempt.ts';
import { withoutBackground } from '#browser/page/change/background.ts';
import { changePage } from '#browser/page/change/changes.ts';
import { isPrivateAddress } from '#browser/page/private-address.ts';
import { createBandTools } from '#browser/page/in-page/band-tools.ts';
import { evaluateInWorld, openTools } from '#browser/page/isolated-world.ts';
import { navigate } from '#browser/page/open/navigate.ts';
import { createNotes } from '#browser/page/notes.ts';
import { printToPdf } from '#browser/page/print/print-to-pdf.ts';
import { isRefusal } from '#browser/page/refusal.ts';
import { settle } from '#browser/page/open/settle.ts';
import { shownEntry } from '#browser/page/shown-entry.ts';
import { openSource } from '#browser/page/open/source.ts';
import { noticeMs } from '#browser/page/time/times.ts';
import { setView } from '#browser/page/open/view.ts';
import type { Overlay, PdfFacts } from '#browser/pdf/pdf-editor.ts';

export interface PrintedPages extends Pick<PdfFacts, 'sizes'> {
  /** The number of each page, in the whole document. */
  numbers: number[];
  /** How many pages the whole document has. */
  total: number;
}

interface Margin {
  field: 'header' | 'footer';
  edge: Overlay['edge'];
  html: MarginHtml;
  heightInches: number;
}

/** Pages with the same text on paper of the same width. */
interface Group {
  html: string;
  widthPt: number;
  /** Places in the document that is printed. */
  pages: number[];
}

// Chromium takes quadratic time for the pages of one document.
const bandsAtOnce = 200;
const charactersAtOnce = 4 * 1024 ** 2;
const [pxPerInch, ptPerPx] = [96, 0.75];
/** How much taller than its band a page is, so that rounding never gives it a second one. */
const slackPx = 2;

/** Calls `cut` with what does not fit. */
export async function printMargins(
  attempt: Attempt,
  output: PdfOutput,
  printed: PrintedPages,
  cut: (words: string) => void,
): Promise<Overlay[]> {
  const margins = marginsOf(output);
  if (margins.length === 0) return [];
  const texts = await textsOf(attempt, printed.total);
  const bands = await openBands(attempt, output);
  const overlays: Overlay[] = [];
  for (const margin of margins) {
    const name = fieldOf(attempt.task, output, margin.field);
    for (const group of groupsOf(margin.html, printed)) {
      if (margin.heightInches * pxPerInch < 1) {
        cut(`${name}: is not shown, because the ${margin.edge} margin is 0; set margin.${margin.edge}`);
        break;
      }
      overlays.push(...(await bands.print(name, margin, group, printed.numbers, texts, cut)));
    }
  }
  await bands.end();
  return overlays;
}

function marginsOf({ header, footer, marginInches: { top, bottom } }: PdfOutput): Margin[] {
  const margins: Margin[] = [];
  if (header) margins.push({ field: 'header', edge: 'top', html: header, heightInches: top });
  if (footer) margins.push({ field: 'footer', edge: 'bottom', html: footer, heightInches: bottom });
  return margins;
}

function groupsOf(html: MarginHtml, { sizes, numbers, total }: PrintedPages): Group[] {
  const groups = new Map<string, Group>();
  for (const [place, { width }] of sizes.entries()) {
    const text = textFor(html, numbers[place]!, total);
    if (text.trim() === '') continue;
    const key = `${width} ${text}`;
    const group = groups.get(key) ?? { html: text, widthPt: width, pages: [] };
    group.pages.push(place);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function textFor({ usual, first, last }: MarginHtml, number: number, total: number): string {
  if (number === 1 && first !== null) return first;
  return (number === total ? last : null) ?? usual;
}

type Texts = Record<'pages' | 'title' | 'url' | 'date', string>;

/** As HTML. */
async function textsOf({ page, deadline: { signal } }: Attempt, total: number): Promise<Texts> {
  const date = "new Date().toLocaleDateString(undefined, { dateStyle: 'long' })";
  const [{ url, title }, today] = await Promise.all([
    shownEntry(page, signal),
    evaluateInWorld<string>(page, date, noticeMs, signal),
  ]);
  return {
    pages: String(total),
    title: escaped(title),
    url: isPrivateAddress(url) ? '' : escaped(url),
    date: escaped(today ?? ''),
  };
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!);

async function openBands(attempt: Attempt, output: PdfOutput) {
  const { task, deadline, notes } = attempt;
  const { signal } = deadline;
  const page = await attempt.openPage();
  const own = bandsTask(task);
  const ownNotes = createNotes(page, own);
  await Promise.all([setView(page, own.view), changePage(page, own.changes)]);
  await navigate(page, await openSource(page, own, signal), own.waits, deadline);
  const tools = await openTools(page, signal, createBandTools);

  async function printBatch(
    { field, edge, heightInches }: Margin,
    { html, widthPt }: Group,
    values: object[],
  ) {
    const [width, height] = [widthPt / ptPerPx, heightInches * pxPerInch];
    const pageHeight = Math.ceil(height) + slackPx;
    await tools.run('prepare', [width, height, pageHeight, propertiesOf(output)], signal);
    await tools.run('fill', [html, JSON.stringify(values)], signal);
    await settle(page, deadline);
    const overflow = await tools.run('overflow', [], signal);
    const pdf = await withoutBackground(page, true, () =>
      printToPdf({ ...attempt, page }, output, {
        ...plainPdf,
        paper: { width: width / pxPerInch, height: pageHeight / pxPerInch },
        preferCssPageSize: true,
        printBackground: output.printBackground,
      }),
    );
    if (pdf.pages !== values.length)
      throw new RenderFailure('unprintable', `the ${field} could not be printed`, {
        field: fieldOf(task, output, field),
      });
    return { bytes: new Uint8Array(pdf.bytes), edge, usedPt: height * ptPerPx, overflow };
  }

  return {
    async print(
      name: string,
      margin: Margin,
      group: Group,
      numbers: number[],
      texts: Texts,
      cut: (words: string) => void,
    ): Promise<Overlay[]> {
      const { html, pages } = group;
      // One band serves all pages if it does not say which page it is on.
      const bands = html.includes('{{page}}') ? pages.map((place) => [place]) : [pages];
      const isAlone = bands.length > 1 && (await tools.run('hasPageInStyles', [html], signal));
      const atOnce = Math.min(bandsAtOnce, Math.floor(charactersAtOnce / html.length));
      const step = isAlone ? 1 : Math.max(1, atOnce);
      const overlays: Overlay[] = [];
      for (let from = 0; from < bands.length; from += step) {
        const pagesOfBand = bands.slice(from, from + step);
        const values = pagesOfBand.map(([place]) => ({ ...texts, page: String(numbers[place!]) }));
        const { overflow, ...overlay } = await printBatch(margin, group, values).catch((error: unknown) => {
          throw isRefusal(error) ? unprintable(name, error) : error;
        });
        overlays.push({ ...overlay, pagesOfBand });
        if (overflow.count === 0) continue;
        const page = numbers[pagesOfBand[overflow.first]![0]!];
        const { edge, heightInches } = margin;
        cut(
          overflow.isTooWide
            ? `${name}: is wider than the paper on page ${page}; what is beyond it was cut`
            : `${name}: is ${overflow.height} px tall on page ${page}, but the ${edge} margin has ${Math.floor(heightInches * pxPerInch)} px; the rest was cut`,
        );
      }
      return overlays;
    },
    /** What failed to load in it belongs to the receipt of the render. */
    async end(): Promise<void> {
      await ownNotes.throwIfUnwanted(signal);
      for (const warning of (await ownNotes.receipt(signal)).warnings) notes.warn(warning);
    },
  };
}

/** It may replace its own document: a refresh does that without a script. */
const unprintable = (field: string, cause: unknown): RenderFailure =>
  new RenderFailure('unprintable', 'could not be printed', { field, cause });

/** An empty document at the address of the one that is rendered. Secrets go to the origin of that address only, as in the render itself. */
function bandsTask(task: Task): Task {
  const { source, view, changes } = task;
  return {
    ...task,
    source: {
      kind: 'html',
      text: '<!doctype html><meta charset="utf-8"><title></title><body></body>',
      baseUrl: source.kind === 'url' ? source.url : source.baseUrl,
      files: source.kind === 'url' ? [] : source.files,
    },
    view: { ...view, media: view.media ?? 'print', mobile: false, touch: false },
    changes: { ...noChanges, javascript: false, blockKinds: changes.blockKinds },
    waits: { ...task.waits, until: 'load' },
  };
}

const propertiesOf = ({ marginInches }: PdfOutput): string =>
  Object.entries(marginInches)
    .map(([side, inches]) => `--margin-${side}: ${inches}in;`)
    .join(' ');

// The rules across fields: what cannot be combined, what needs another field, and what several fields decide together.
import { invalid } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import {
  isPicture,
  plainView,
  type Output,
  type PdfOutput,
  type SentDocument,
  type Source,
  type SourceFile,
  type View,
} from '#browser/job.ts';
import { requireRoomOnPaper } from '#renders/paper.ts';
import { devices } from '#api/v2/devices.ts';
import { pictures, type AskedOutput, type Format, type Row } from '#api/v2/fields/row.ts';
import { outputRows } from '#api/v2/fields/rows.ts';
import type { OutputOptions, RenderRequest } from '#api/v2/schemas.ts';

export function sourceOf(
  given: RenderRequest,
  files: SourceFile[],
  document: SentDocument | undefined,
): Source {
  const kinds = (['url', 'html', 'markdown'] as const).filter(
    (name) => given[name] !== undefined || document?.kind === name,
  );
  const [kind, another] = kinds;
  if (kind === undefined) throw invalid('url', 'missing; send exactly one of url, html and markdown');
  if (another !== undefined)
    throw invalid(another, `cannot be combined with ${kind}; send exactly one of url, html and markdown`);
  const text = given[kind] ?? '';
  if (kind !== 'url') return { kind, text: document?.text ?? text, baseUrl: given.base_url ?? null, files };
  if (given.network === 'none')
    throw invalid(
      'network',
      'none is for html and markdown: a page of the web comes by network; leave it out',
    );
  if (given.base_url !== undefined)
    throw invalid('base_url', 'is the address of html or markdown; leave it out with url');
  if (files.length > 0) throw invalid('file', 'files go with html or markdown, not with url; leave them out');
  return { kind, url: text };
}

/** Before the fields of the request change it: they win over those of the device. */
export function viewBefore({ device }: RenderRequest): View {
  const { viewportWidth, viewportHeight } = limits;
  const own = device === undefined ? undefined : devices[device];
  return {
    ...plainView,
    width: viewportWidth.default,
    height: viewportHeight.default,
    ...own,
    touch: own?.mobile ?? plainView.touch,
  };
}

/** Secrets have an origin to go to. */
export function requireAddress(given: RenderRequest, address: string | undefined): void {
  const field = (['headers', 'cookies', 'basic_auth'] as const).find((name) => given[name] !== undefined);
  if (address === undefined && field !== undefined)
    throw invalid(field, 'is sent to the origin of base_url only; send base_url too, or leave it out');
}

/** Their fields do not stand beside them, too. */
export function requireAlone(given: RenderRequest): void {
  const beside = Object.keys(outputRows).find((name) => Object.hasOwn(given, name));
  if (beside !== undefined)
    throw invalid('outputs', `cannot be combined with ${beside}; move it into an object of outputs`);
}

const isOf = (names: readonly Format[], name: Format): boolean => names.includes(name);

export function requireFitting(given: OutputOptions, path: string): void {
  const { format = 'png', page } = given;
  for (const [name, { formats: fitting, fitsPrinted }] of Object.entries<Row>(outputRows)) {
    if (!fitting || !Object.hasOwn(given, name) || isOf(fitting, format)) continue;
    const mayBePrinted = isOf(pictures, format) && fitsPrinted === true;
    if (mayBePrinted && page !== undefined) continue;
    const [others, remedy] = mayBePrinted
      ? [', or a picture of a printed page', 'leave it out, change format, or add page']
      : ['', 'leave it out or change format'];
    throw invalid(path + name, `does not fit ${format}, only ${fitting.join(', ')}${others}; ${remedy}`);
  }
}

export function requireCombinable(given: OutputOptions, asked: AskedOutput, path: string): void {
  const areas = (['full_page', 'selector', 'clip', 'page'] as const).filter(
    (name) => given[name] !== undefined && given[name] !== false,
  );
  if (areas.length > 1)
    throw invalid(
      `${path}${areas[1]}`,
      `cannot be combined with ${areas[0]}; send at most one of full_page, selector, clip and page`,
    );
  if (given.paper && given.paper_format !== undefined)
    throw invalid(`${path}paper`, 'cannot be combined with paper_format; leave one of them out');
  if (asked.singlePage && asked.pageRanges !== null)
    throw invalid(
      `${path}page_ranges`,
      'cannot be combined with single_page, which has one page; leave it out',
    );
  if (asked.ownerPassword !== null && asked.ownerPassword === asked.password)
    throw invalid(
      `${path}owner_password`,
      'is the same as password, so everybody who can open the file may do everything; send another',
    );
  const { marginInches, paper, landscape } = asked;
  const name = given.paper ? 'this' : (given.paper_format ?? 'letter');
  requireRoomOnPaper(marginInches, paper, landscape, name, `${path}margin`);
}

const pixelsOf = ({ width, height }: PdfOutput['paper']): number =>
  Math.ceil(width * 96) * Math.ceil(height * 96);

/** Refuses what is certain to have more pixels than a render may; a full page and an element turn out later. */
export function requirePixels(outputs: Output[], view: View): void {
  const areas = outputs.filter(isPicture).map(({ selector, clip, printed }) => {
    // The page may choose another paper, and a picture of that turns out later.
    if (printed) return printed.preferCssPageSize ? 0 : pixelsOf(printed.paper) * view.pixelRatio ** 2;
    const { width, height } = clip ?? view;
    return selector === null ? Math.ceil(width * view.pixelRatio) * Math.ceil(height * view.pixelRatio) : 0;
  });
  const total = areas.reduce((sum, pixels) => sum + pixels, 0);
  if (total <= limits.renderPixels) return;
  throw invalid(
    outputs.length > 1 ? 'outputs' : areaFieldOf(outputs[0]!),
    `the pictures have at least ${total} pixels, more than ${limits.renderPixels}; make them smaller, or lower viewport.pixel_ratio`,
  );
}

function areaFieldOf(output: Output): string {
  if (!isPicture(output)) return 'viewport';
  return output.printed ? 'page' : output.clip ? 'clip' : 'viewport';
}

/** A longer time is for the load; what comes after the load keeps its own. */
export function timesOf(
  { timeout_ms }: RenderRequest,
  outputs: Output[],
): { timeoutMs: number; navigationMs: number } {
  const isPrinted = outputs.some(
    (output) => output.format === 'pdf' || (isPicture(output) && output.printed),
  );
  const usualMs = isPrinted ? limits.pdfTotalMs : limits.screenshotTotalMs;
  const timeoutMs = timeout_ms ?? usualMs;
  const { navigationMs } = limits;
  return {
    timeoutMs,
    navigationMs: Math.min(timeoutMs, Math.max(navigationMs, navigationMs + timeoutMs - usualMs)),
  };
}

export function requireAnswer(
  { async: isQueued = false, webhook_url, expires_in, outputs = [] }: RenderRequest,
  isHosted: boolean,
): void {
  if (webhook_url !== undefined && !isQueued)
    throw invalid('webhook_url', 'is for queued renders; send "async": true, or leave it out');
  if (isHosted) return;
  if (outputs.length > 1)
    throw invalid('response', 'must be json for several outputs: one file holds one of them');
  if (expires_in !== undefined)
    throw invalid('expires_in', 'is for hosted outputs; send "response": "json", or leave it out');
}

// The outputs of a request as a render makes them. Spec 10.
import { invalid } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import {
  isPicture,
  type DocumentInfo,
  type MarginHtml,
  type Output,
  type PdfOutput,
  type PictureFormat,
  type PictureOutput,
  type View,
} from '#browser/job.ts';
import { inchesOf, lengthInches, paperInches, requireRoomOnPaper } from '#renders/paper.ts';
import type { Put } from '#renders/put-outputs.ts';
import { checkSelector } from '#http/api/v2/check-selector.ts';
import { languageTagOf } from '#http/api/v2/language-tag.ts';
import { formatsByField, isOfPrints, outputFields, paperPx, pictures } from '#http/api/v2/output-fields.ts';
import { OutputOptions, type RenderRequest } from '#http/api/v2/schemas.ts';
import { withDefaults } from '#http/body/validate.ts';

/** Fields without a default are undefined if they were not sent. */
type Asked = Required<Omit<OutputOptions, Unset>> & Pick<OutputOptions, Unset>;
type Unset =
  | 'put_url'
  | 'clip'
  | 'compare_to'
  | 'resize'
  | 'selector'
  | 'page'
  | 'paper'
  | 'page_ranges'
  | 'header'
  | 'footer'
  | 'document'
  | 'password';

export function outputsOf(request: RenderRequest): Output[] {
  const { outputs } = request;
  const beside = Object.keys(outputFields).filter((name) => Object.hasOwn(request, name));
  if (!outputs)
    return [outputOf(Object.fromEntries(beside.map((name) => [name, request[name as 'format']])), '')];
  if (beside.length > 0)
    throw invalid('outputs', `cannot be combined with ${beside[0]}; move it into an object of outputs`);
  return outputs.map((given, index) => outputOf(given, `outputs[${index}].`));
}

/** The addresses that they are sent to. Their hosts are checked with the page's. */
export const putsOf = ({ put_url: only, outputs }: RenderRequest): Put[] =>
  (outputs ?? [{ put_url: only }]).flatMap(({ put_url: url }, place) =>
    url === undefined ? [] : [{ place, url, field: outputs ? `outputs[${place}].put_url` : 'put_url' }],
  );

function outputOf(given: OutputOptions, path: string): Output {
  const asked = withDefaults(OutputOptions, given) as Asked;
  const { format } = asked;
  for (const name of Object.keys(given)) requireFitting(name, asked, path);
  if (asked.selector !== undefined) checkSelector(asked.selector, `${path}selector`);
  if (isOf(pictures, format)) return pictureOf(asked, given, format, path);
  if (format === 'pdf') return pdfOf(asked, given, path);
  if (format === 'accessibility') return { format };
  return { format, selector: asked.selector ?? null, mainContent: asked.main_content };
}

function requireFitting(name: string, { format, page }: Asked, path: string): void {
  const fitting = formatsByField[name];
  if (!fitting || fitting.includes(format)) return;
  const mayBePrinted = isOf(pictures, format) && isOfPrints(name);
  if (mayBePrinted && page !== undefined) return;
  const [others, remedy] = mayBePrinted
    ? [', or a picture of a printed page', 'leave it out, change format, or add page']
    : ['', 'leave it out or change format'];
  throw invalid(path + name, `does not fit ${format}, only ${fitting.join(', ')}${others}; ${remedy}`);
}

const isOf = <T extends string>(names: readonly T[], name: string): name is T =>
  (names as readonly string[]).includes(name);

function pictureOf(asked: Asked, given: OutputOptions, format: PictureFormat, path: string): PictureOutput {
  const { full_page: fullPage, selector = null, clip = null, resize, page } = asked;
  const areas = [
    fullPage && 'full_page',
    selector !== null && 'selector',
    clip !== null && 'clip',
    page !== undefined && 'page',
  ].filter(Boolean);
  if (areas.length > 1)
    throw invalid(
      `${path}${areas[1]}`,
      `cannot be combined with ${areas[0]}; send at most one of full_page, selector, clip and page`,
    );
  const { width = null, height = null, fit = 'inside' } = resize ?? {};
  if (resize && width === null && height === null)
    throw invalid(`${path}resize`, 'has no size; send width, height or both');
  if (resize && fit === 'cover' && (width === null || height === null))
    throw invalid(`${path}resize.fit`, 'cover needs width and height; send both');
  return {
    format,
    fullPage,
    selector,
    clip,
    omitBackground: asked.omit_background,
    quality: asked.quality,
    resize: resize ? { width, height, fit } : null,
    printed: page === undefined ? null : { ...pdfOf(asked, given, path), pageRanges: String(page) },
    compareTo: asked.compare_to ?? null,
  };
}

function pdfOf(asked: Asked, given: OutputOptions, path: string): PdfOutput {
  const { landscape, margin, paper_format, page_ranges: ranges, single_page: singlePage } = asked;
  if (given.paper && given.paper_format !== undefined)
    throw invalid(`${path}paper`, 'cannot be combined with paper_format; leave one of them out');
  if (singlePage && ranges !== undefined)
    throw invalid(
      `${path}page_ranges`,
      'cannot be combined with single_page, which has one page; leave it out',
    );
  const paper = given.paper ? paperOf(given.paper, `${path}paper`) : paperInches[paper_format];
  const marginInches = inchesOf(margin as Required<typeof margin>);
  requireRoomOnPaper(marginInches, paper, landscape, given.paper ? 'this' : paper_format, `${path}margin`);
  return {
    format: 'pdf',
    paper,
    landscape,
    printBackground: asked.print_background,
    preferCssPageSize: asked.prefer_css_page_size,
    scale: asked.scale,
    marginInches,
    pageRanges: ranges === undefined ? null : pageRangesOf(ranges, `${path}page_ranges`),
    singlePage,
    outline: asked.outline,
    tagged: asked.tagged,
    omitBackground: asked.omit_background,
    header: marginHtmlOf(asked.header),
    footer: marginHtmlOf(asked.footer),
    pageNumbers: asked.page_numbers,
    documentInfo: asked.document ? documentInfoOf(asked.document, `${path}document`) : {},
    password: asked.password ?? null,
  };
}

function marginHtmlOf(given: OutputOptions['header']): MarginHtml | null {
  if (given === undefined) return null;
  if (typeof given === 'string') return { usual: given, first: null, last: null };
  return { usual: given.default ?? '', first: given.first ?? null, last: given.last ?? null };
}

function documentInfoOf(
  { keywords, language, ...given }: NonNullable<OutputOptions['document']>,
  path: string,
): DocumentInfo {
  return {
    ...given,
    ...(keywords !== undefined && { keywords: [keywords].flat().join(', ') }),
    ...(language !== undefined && { language: languageTagOf(language, `${path}.language`) }),
  };
}

function paperOf(given: NonNullable<OutputOptions['paper']>, path: string): PdfOutput['paper'] {
  const side = (name: 'width' | 'height'): number => {
    const inches = lengthInches(given[name]);
    if (inches < paperPx.min / 96 || inches > paperPx.max / 96)
      throw invalid(
        `${path}.${name}`,
        `must be ${paperPx.min} to ${paperPx.max} CSS pixels (200in), not ${JSON.stringify(given[name])}`,
      );
    return inches;
  };
  return { width: side('width'), height: side('height') };
}

/** `1-3, 5` without its spaces. */
function pageRangesOf(text: string, field: string): string {
  const refuse = (part: string) =>
    invalid(field, `must be page numbers and ranges such as 1-3,5, not ${JSON.stringify(part.slice(0, 40))}`);
  return text
    .split(',')
    .map((given) => {
      const part = given.trim();
      const [, first, last = first] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part) ?? [];
      if (first === undefined || Number(first) < 1) throw refuse(given);
      if (Number(last) < Number(first)) throw refuse(given);
      return part;
    })
    .join(',');
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

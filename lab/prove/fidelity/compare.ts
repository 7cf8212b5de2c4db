// Compares the results of two renderers for one page: the share of differing pixels, the number of printed pages, the times.
import sharp from 'sharp';

export interface Rendered {
  ms: number;
  picture?: Buffer;
  pdf?: Buffer;
  /** Where in the picture the reader's view begins. */
  left?: number;
}

export interface Renderer {
  /** In every mode; a failure is stored in place of a missing result. */
  render(url: string): Promise<Record<Mode, Rendered | Error>>;
  close(): Promise<void>;
}

export const modes = ['viewport', 'fullPage', 'pdf'] as const;
export type Mode = (typeof modes)[number];

/** One page in one mode. If either side failed, its failure is shown instead of a picture. */
export interface Comparison {
  page: string;
  mode: Mode;
  /** Of all pixels, 0 to 1; for PDFs 0 when the numbers of pages are equal, 1 when not. */
  differs: number;
  words: string;
  ours: Side;
  reference: Side;
}

export interface Side {
  ms: number;
  error?: string;
  picture?: Buffer;
  pages?: number;
}

const width = 1440;
// From this difference on a colour counts as different; text may differ in the last bit.
const toleratedLevel = 4;
export const equalShare = 0.002;

export async function compare(
  page: string,
  mode: Mode,
  ours: Rendered | Error,
  reference: Rendered | Error,
): Promise<Comparison> {
  const [a, b] = await Promise.all([sideOf(ours), sideOf(reference)]);
  const [differs, words] = await difference(a, b);
  return { page, mode, differs, words, ours: a, reference: b };
}

async function sideOf(rendered: Rendered | Error): Promise<Side> {
  if (rendered instanceof Error) return { ms: 0, error: rendered.message.split('\n')[0]! };
  const { ms, picture, pdf, left = 0 } = rendered;
  if (pdf) return { ms, pages: pageCount(pdf) };
  if (!picture) return { ms };
  const size = await sharp(picture, { limitInputPixels: false }).metadata();
  if (size.width === width) return { ms, picture };
  const crop = { left: Math.min(left, size.width - width), top: 0, width, height: size.height };
  return { ms, picture: await sharp(picture, { limitInputPixels: false }).extract(crop).png().toBuffer() };
}

async function difference(a: Side, b: Side): Promise<[number, string]> {
  if (a.error !== undefined || b.error !== undefined) {
    const isBoth = a.error !== undefined && b.error !== undefined;
    return [isBoth ? 0 : 1, `ours: ${a.error ?? 'rendered'}; reference: ${b.error ?? 'rendered'}`];
  }
  if (a.pages !== undefined || b.pages !== undefined)
    return [a.pages === b.pages ? 0 : 1, `${a.pages} pages, reference ${b.pages}`];
  const [ours, reference] = await Promise.all([pixels(a.picture!), pixels(b.picture!)]);
  const rows = Math.max(ours.height, reference.height);
  const common = Math.min(ours.height, reference.height) * width * 3;
  let different = Math.abs(ours.height - reference.height) * width;
  for (let at = 0; at < common; at += 3) {
    const isEqual =
      Math.abs(ours.data[at]! - reference.data[at]!) <= toleratedLevel &&
      Math.abs(ours.data[at + 1]! - reference.data[at + 1]!) <= toleratedLevel &&
      Math.abs(ours.data[at + 2]! - reference.data[at + 2]!) <= toleratedLevel;
    if (!isEqual) different += 1;
  }
  const share = different / (rows * width);
  const heights =
    ours.height === reference.height ? '' : `, ${ours.height} px tall, reference ${reference.height}`;
  return [share, `${(share * 100).toFixed(3)} % of the pixels${heights}`];
}

async function pixels(picture: Buffer): Promise<{ data: Buffer; height: number }> {
  const image = sharp(picture, { limitInputPixels: false });
  const { data, info } = await image.removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data, height: info.height };
}

/** The page tree's root holds the largest count. */
function pageCount(pdf: Buffer): number {
  const counts = pdf
    .toString('latin1')
    .matchAll(/\/Type \/Pages[^>]*?\/Count (\d+)|\/Count (\d+)[^>]*?\/Type \/Pages/g);
  return Math.max(0, ...counts.map(([, first, second]) => Number(first ?? second)));
}

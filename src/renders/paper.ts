// Paper and margins of a PDF, in inches. Spec 4.4.
import { invalid } from '#core/errors.ts';
import { paperInches, type PaperFormat } from '#browser/browser.ts';

export type MarginLength = number | string;
export type Sides<T> = Record<'top' | 'right' | 'bottom' | 'left', T>;

const unitsPerInch = { px: 96, in: 1, cm: 2.54, mm: 25.4 } as const;

/** A number is CSS pixels; a string has a unit or is "0". */
export function lengthInches(length: MarginLength): number {
  if (typeof length === 'number') return length / unitsPerInch.px;
  const unit = length.slice(-2);
  return unit in unitsPerInch
    ? Number(length.slice(0, -2)) / unitsPerInch[unit as keyof typeof unitsPerInch]
    : 0;
}

/** Margins that leave no printable area are the client's mistake, so they are rejected before the browser is used. */
export function requireRoomOnPaper(
  margin: Sides<number>,
  paperFormat: PaperFormat,
  landscape: boolean,
): void {
  const paper = paperInches[paperFormat];
  const [width, height] = landscape ? [paper.height, paper.width] : [paper.width, paper.height];
  const name = `${paperFormat}${landscape ? ' landscape' : ''}`;
  if (margin.left + margin.right >= width)
    throw invalid('margin', `left and right leave no room on ${name} paper`);
  if (margin.top + margin.bottom >= height)
    throw invalid('margin', `top and bottom leave no room on ${name} paper`);
}

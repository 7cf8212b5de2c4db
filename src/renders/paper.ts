// Paper and margins of a PDF, in inches. Spec 4.4.
import { invalid } from '#core/errors.ts';
import type { Sides } from '#browser/job.ts';

export type MarginLength = number | string;
export type PaperFormat = 'letter' | 'a4' | 'legal' | 'a3' | 'a5' | 'tabloid';

const mmPerInch = 25.4;

export const paperInches: Record<PaperFormat, { width: number; height: number }> = {
  letter: { width: 8.5, height: 11 },
  a4: { width: 210 / mmPerInch, height: 297 / mmPerInch },
  legal: { width: 8.5, height: 14 },
  a3: { width: 297 / mmPerInch, height: 420 / mmPerInch },
  a5: { width: 148 / mmPerInch, height: 210 / mmPerInch },
  tabloid: { width: 11, height: 17 },
};

const unitsPerInch = { px: 96, in: 1, cm: 2.54, mm: 25.4 } as const;

/** A number is CSS pixels; a string has a unit or is "0". */
export function lengthInches(length: MarginLength): number {
  if (typeof length === 'number') return length / unitsPerInch.px;
  const unit = length.slice(-2);
  return unit in unitsPerInch
    ? Number(length.slice(0, -2)) / unitsPerInch[unit as keyof typeof unitsPerInch]
    : 0;
}

export const inchesOf = (lengths: Sides<MarginLength>): Sides<number> => ({
  top: lengthInches(lengths.top),
  right: lengthInches(lengths.right),
  bottom: lengthInches(lengths.bottom),
  left: lengthInches(lengths.left),
});

/** Margins that leave no printable area are the client's mistake, so they are rejected before the browser is used. */
export function requireRoomOnPaper(
  margin: Sides<number>,
  paper: { width: number; height: number },
  landscape: boolean,
  /** The name of the paper, for a message. */
  name: string,
  field = 'margin',
): void {
  const [width, height] = landscape ? [paper.height, paper.width] : [paper.width, paper.height];
  const turned = `${name}${landscape ? ' landscape' : ''}`;
  if (margin.left + margin.right >= width)
    throw invalid(field, `left and right leave no room on ${turned} paper`);
  if (margin.top + margin.bottom >= height)
    throw invalid(field, `top and bottom leave no room on ${turned} paper`);
}

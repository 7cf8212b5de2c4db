// What a picture of the page shows, and how it is encoded.
import { Type } from 'typebox';
import { invalid } from '#core/errors.ts';
import { defaultQuality, type Resize } from '#browser/job.ts';
import { choice, flagOff, optional, selector, strict, unit, text, integer } from '#api/fields.ts';
import { fullPage } from '#api/render-fields.ts';
import { checkSelector } from '#api/v2/check-selector.ts';
import { pictures, rowsOf } from '#api/v2/fields/row.ts';

const { shown } = rowsOf('output', 'Output', { formats: pictures });
const pagePixels = (minimum: number, maximum: number, description: string) =>
  Type.Number({ minimum, maximum, description, ...unit('px') });
const resizedPixels = (side: string) =>
  integer(16, 3840, `The largest ${side}, in pixels.`, { ...unit('px') });

export const pictureRows = {
  full_page: shown(fullPage.full_page),
  clip: shown(
    Type.Object(
      {
        x: pagePixels(0, 100_000, 'The left edge, from the left of the page.'),
        y: pagePixels(0, 100_000, 'The top edge, from the top of the page.'),
        width: pagePixels(1, 65_535, 'The width of the part.'),
        height: pagePixels(1, 65_535, 'The height of the part.'),
      },
      {
        ...strict,
        description: 'Capture only this part of the page, in CSS pixels from its top left corner.',
      },
    ),
  ),
  resize: shown(
    Type.Object(
      optional({
        width: resizedPixels('width'),
        height: resizedPixels('height'),
        fit: choice(['inside', 'cover'], {
          default: 'inside',
          description:
            'inside: all of the picture, within the size; cover: exactly the size, with what sticks out cut off.',
        }),
      }),
      { ...strict, description: 'Shrink the picture to this size, in pixels; it is never enlarged.' },
    ),
    {
      lower: ({ width = null, height = null, fit = 'inside' }, { field }) => ({
        resize: checkResize({ width, height, fit }, field),
      }),
    },
  ),
  compare_to: shown(
    text(64, 'The id of an earlier render of the same size. The receipt says what has changed since.'),
  ),
  selector: shown(
    selector(
      'Capture only the first element that matches, such as main > article; open shadow roots are searched, too.',
    ),
    {
      formats: [...pictures, 'html', 'text', 'markdown'],
      lower(given, { field }) {
        checkSelector(given, field);
        return { selector: given };
      },
    },
  ),
  omit_background: shown(
    flagOff('Leave out the white behind a page without a background, so that it is transparent.'),
    {
      formats: ['png', 'webp', 'pdf'],
    },
  ),
  quality: shown(
    integer(1, 100, 'The quality of the compression, from 1 (smallest file) to 100 (best picture).', {
      default: defaultQuality,
    }),
    {
      formats: ['jpeg', 'webp'],
    },
  ),
  page: shown(
    integer(
      1,
      100_000,
      'The number of the printed page to make a picture of, instead of the page on a screen.',
    ),
  ),
};

function checkResize(resize: Resize, field: string): Resize {
  const { width, height, fit } = resize;
  if (width === null && height === null) throw invalid(field, 'has no size; send width, height or both');
  if (fit === 'cover' && (width === null || height === null))
    throw invalid(`${field}.fit`, 'cover needs width and height; send both');
  return resize;
}

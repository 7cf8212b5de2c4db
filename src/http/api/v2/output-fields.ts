// What one output of a render may be told, and which formats each field fits. Spec 10.
import { Type, type TProperties } from 'typebox';
import { defaultQuality } from '#browser/job.ts';
import { paperInches, type PaperFormat } from '#renders/paper.ts';
import { choice, maxBytes, optional, strict } from '#http/api/fields.ts';
import { fullPage, length, paperText, pdfOptions } from '#http/api/render-fields.ts';

export const pictures = ['png', 'jpeg', 'webp'] as const;
const extracts = ['html', 'mhtml', 'text', 'markdown', 'metadata', 'accessibility'] as const;
export const formats = [...pictures, 'pdf', ...extracts] as const;
export type Format = (typeof formats)[number];

export const selector = (description: string) =>
  Type.String({ minLength: 1, maxLength: 500, description: `${description} A CSS selector.` });

const off = (description: string) => Type.Boolean({ default: false, description });
const pagePixels = (minimum: number, maximum: number, description: string) =>
  Type.Number({ minimum, maximum, description });
const resizedPixels = (side: string) =>
  Type.Integer({ minimum: 16, maximum: 3840, description: `The largest ${side}, in pixels.` });

/** A PDF page is at most 14,400 points long: 200 inches. */
export const paperPx = { min: 10, max: 19_200 };

const ofPictures = {
  ...fullPage,
  clip: Type.Object(
    {
      x: pagePixels(0, 100_000, 'The left edge, from the left of the page.'),
      y: pagePixels(0, 100_000, 'The top edge, from the top of the page.'),
      width: pagePixels(1, 65_535, 'The width of the part.'),
      height: pagePixels(1, 65_535, 'The height of the part.'),
    },
    { ...strict, description: 'Only this part of the page, in CSS pixels.' },
  ),
  resize: Type.Object(
    {
      ...optional({
        width: resizedPixels('width'),
        height: resizedPixels('height'),
        fit: choice(['inside', 'cover'], {
          default: 'inside',
          description: 'inside: the whole picture, within the size; cover: the size, filled and cut.',
        }),
      }),
    },
    { ...strict, description: 'Makes the picture smaller; it is never enlarged.' },
  ),
  compare_to: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'The id of an earlier render of the same size: the receipt then says what has changed.',
  }),
};

const ofPicturesAndTexts = {
  selector: selector('Only the first element that matches, in open shadow roots too.'),
};

const ofTransparent = {
  omit_background: off('Leave out the white that is behind a page without a background.'),
};

const ofCompressed = {
  quality: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: defaultQuality,
    description: 'Quality of the compression.',
  }),
};

const ofPrintedPages = {
  page: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    description: 'This page as it is printed, instead of the page on a screen.',
  }),
};

const { landscape, print_background, prefer_css_page_size, scale, margin } = pdfOptions;

const KiB = 1024;
const marginBytes = 64 * KiB;
const html = (description: string) =>
  Type.String({
    [maxBytes]: marginBytes,
    description: `${description} At most ${marginBytes.toLocaleString('en')} bytes of UTF-8.`,
  });
const marginHtml = (where: string) =>
  Type.Union(
    [
      html('The same on every page.'),
      Type.Object(
        optional({
          default: html('On every page that has no other.'),
          first: html('On the first page; also if it is the only one.'),
          last: html('On the last page.'),
        }),
        strict,
      ),
    ],
    {
      description:
        `What stands in the ${where} margin of each page: HTML of at most ${marginBytes.toLocaleString('en')} bytes with {{page}}, {{pages}}, ` +
        '{{title}}, {{url}} and {{date}}, or an object with default, first and last.',
    },
  );

/** How a page is printed, whether into a PDF or for a picture of it. */
const ofPrints = {
  paper_format: choice(Object.keys(paperInches) as PaperFormat[], {
    default: 'letter',
    description: paperText,
  }),
  paper: Type.Object(
    { width: length('The width', paperPx), height: length('The height', paperPx) },
    { ...strict, description: 'A paper size of your own, instead of paper_format.' },
  ),
  landscape,
  print_background,
  prefer_css_page_size,
  scale,
  margin,
  header: marginHtml('top'),
  footer: marginHtml('bottom'),
  page_numbers: off('Fill every link with data-page with the printed page of its target.'),
};

const info = (what: string) =>
  Type.String({ minLength: 1, maxLength: 500, description: `The ${what} of the document.` });
const mostKeywords = 50;

const ofPdfs = {
  page_ranges: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'The pages to print, such as 1-3,5. All, if it is left out.',
  }),
  single_page: off('One page as tall as the content, up to 14,400 points.'),
  outline: off('Make an outline of the headings.'),
  tagged: off('Tag the content, for screen readers.'),
  document: Type.Object(
    optional({
      title: info('title'),
      author: info('author'),
      subject: info('subject'),
      keywords: Type.Union(
        [
          Type.String({ minLength: 1, maxLength: 500 }),
          Type.Array(Type.String({ minLength: 1, maxLength: 100, description: 'A keyword.' }), {
            maxItems: mostKeywords,
          }),
        ],
        {
          description: `Keywords: a text of 1 to 500 characters, or an array of at most ${mostKeywords} texts.`,
        },
      ),
      language: Type.String({
        minLength: 2,
        maxLength: 60,
        description: 'The language of the document, such as de-CH.',
      }),
    }),
    { ...strict, description: 'The properties of the PDF: title, author and so on.' },
  ),
  password: Type.String({
    minLength: 1,
    [maxBytes]: 127,
    writeOnly: true,
    description:
      'Without it nobody can open the PDF, which is encrypted with AES-256. 1 to 127 bytes of UTF-8.',
  }),
};

const ofTexts = {
  main_content: off('The article only, without what surrounds it.'),
};

const groups: [fields: TProperties, formats: readonly Format[]][] = [
  [ofPictures, pictures],
  [ofPicturesAndTexts, [...pictures, 'html', 'text', 'markdown']],
  [ofTransparent, ['png', 'webp', 'pdf']],
  [ofCompressed, ['jpeg', 'webp']],
  [ofPrintedPages, pictures],
  [ofPrints, ['pdf']],
  [ofPdfs, ['pdf']],
  [ofTexts, ['html', 'text', 'markdown']],
];

/** The formats that each field fits; `format` fits all. */
export const formatsByField: Record<string, readonly Format[]> = Object.fromEntries(
  groups.flatMap(([fields, fitting]) => Object.keys(fields).map((name) => [name, fitting])),
);

/** Whether it fits a picture too, if that is of a printed page. */
export const isOfPrints = (name: string): boolean => Object.hasOwn(ofPrints, name);

/** The description of a field also says which formats it fits. */
const noted = <T extends TProperties>(fields: T): T =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const { description = '' } = field as { description?: string };
      const fitting = (formatsByField[name] ?? []).join(', ');
      const also = isOfPrints(name) ? ' Also for a picture with page.' : '';
      return [name, { ...field, description: `${description}${also} Only ${fitting}.` }];
    }),
  ) as TProperties as T;

export const outputFields = optional({
  format: choice(formats, { default: 'png', description: 'What is made of the page.' }),
  put_url: Type.String({
    format: 'uri',
    writeOnly: true,
    description: 'A public https address that the bytes are also PUT to, such as a presigned one.',
  }),
  ...noted({
    ...ofPictures,
    ...ofPicturesAndTexts,
    ...ofTransparent,
    ...ofCompressed,
    ...ofPrintedPages,
    ...ofPrints,
    ...ofPdfs,
    ...ofTexts,
  }),
});

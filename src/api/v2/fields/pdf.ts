// How the page is printed: into a PDF, or for a picture of a printed page.
import { Type, type Static } from 'typebox';
import { invalid } from '#core/errors.ts';
import { maxBytes } from '#core/keywords.ts';
import { pdfPermissions, type DocumentInfo, type MarginHtml, type PdfOutput } from '#browser/job.ts';
import { inchesOf, lengthInches, paperInches, type PaperFormat } from '#renders/paper.ts';
import { choice, flagOff, optional, saying, strict, text } from '#api/fields.ts';
import { length, paperText, pdfOptions } from '#api/render-fields.ts';
import { rowsOf } from '#api/v2/fields/row.ts';
import { languageTagOf } from '#api/v2/language-tag.ts';

const pdf = rowsOf('output', 'Output', { formats: ['pdf'] });
const printed = rowsOf('output', 'Output', { formats: ['pdf'], fitsPrinted: true });

/** A PDF page is at most 14,400 points long: 200 inches. */
const paperPx = { min: 10, max: 19_200 };

const KiB = 1024;
const marginBytes = 64 * KiB;
const html = (description: string) =>
  Type.String({
    [maxBytes]: marginBytes,
    description: `${description} At most ${marginBytes.toLocaleString('en')} bytes of UTF-8.`,
  });
const marginKinds =
  `HTML of at most ${marginBytes.toLocaleString('en')} bytes with {{page}}, {{pages}}, ` +
  '{{title}}, {{url}} and {{date}}, or an object with default, first and last';
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
    saying(`What stands in the ${where} margin of each page`, marginKinds),
  );

const info = (what: string) => text(500, `The ${what} of the document.`);
const mostKeywords = 50;
const keywordKinds = `a text of 1 to 500 characters, or an array of at most ${mostKeywords} texts`;
const Info = Type.Object(
  optional({
    title: info('title'),
    author: info('author'),
    subject: info('subject'),
    keywords: Type.Union(
      [
        Type.String({ minLength: 1, maxLength: 500 }),
        Type.Array(text(100, 'A keyword.'), {
          maxItems: mostKeywords,
        }),
      ],
      saying('Keywords', keywordKinds),
    ),
    language: text(60, 'The language of the document, such as de-CH.', { minLength: 2 }),
  }),
  { ...strict, description: 'The properties that PDF readers show.' },
);
const Paper = Type.Object(
  { width: length('The width', paperPx), height: length('The height', paperPx) },
  {
    ...strict,
    description:
      'A paper size of your own instead of paper_format, such as {"width": "100mm", "height": "150mm"}.',
  },
);

export const pdfRows = {
  paper_format: printed.shown(
    choice(Object.keys(paperInches) as PaperFormat[], { default: 'letter', description: paperText }),
    { lower: (name) => ({ paper: paperInches[name] }) },
  ),
  paper: printed.shown(Paper, { lower: (paper, { field }) => ({ paper: paperOf(paper, field) }) }),
  landscape: printed.shown(pdfOptions.landscape),
  print_background: printed.shown(pdfOptions.print_background),
  prefer_css_page_size: printed.shown(pdfOptions.prefer_css_page_size),
  scale: printed.shown(pdfOptions.scale),
  margin: printed.shown(pdfOptions.margin, {
    lower: (sides) => ({ marginInches: inchesOf({ top: 0, right: 0, bottom: 0, left: 0, ...sides }) }),
  }),
  header: printed.hidden(marginHtml('top'), { lower: (given) => ({ header: marginHtmlOf(given) }) }),
  footer: printed.hidden(marginHtml('bottom'), { lower: (given) => ({ footer: marginHtmlOf(given) }) }),
  page_numbers: printed.shown(
    flagOff(
      'Write into every link with a data-page attribute the number of the printed page that it leads to.',
    ),
  ),
  page_ranges: pdf.shown(text(100, 'The pages to print, such as 1-3,5. Left out: all.'), {
    lower: (ranges, { field }) => ({ pageRanges: pageRangesOf(ranges, field) }),
  }),
  single_page: pdf.shown(flagOff('Print one page as tall as the content, up to 14,400 points (200 inches).')),
  outline: pdf.shown(flagOff('Add bookmarks made from the headings.')),
  tagged: pdf.shown(flagOff('Tag the content for screen readers.')),
  document: pdf.shown(Info, {
    lower: (given, { field }) => ({ documentInfo: documentInfoOf(given, field) }),
  }),
  password: pdf.secret(
    Type.String({
      minLength: 1,
      [maxBytes]: 127,
      description:
        'The password that opens the PDF, which is encrypted with AES-256. 1 to 127 bytes of UTF-8.',
    }),
  ),
  owner_password: pdf.secret(
    Type.String({
      minLength: 1,
      [maxBytes]: 127,
      description:
        'Who opens the encrypted PDF with it may do everything, whatever permissions says. 1 to 127 bytes of UTF-8.',
    }),
  ),
  permissions: pdf.shown(
    Type.Array(choice(pdfPermissions, { description: 'One of them.' }), {
      maxItems: pdfPermissions.length,
      default: [...pdfPermissions],
      description:
        'What readers of the PDF may do; with fewer, it is encrypted. Screen readers may always read. Programs follow this by courtesy.',
    }),
    { lower: (given) => ({ permissions: pdfPermissions.filter((one) => given.includes(one)) }) },
  ),
};

function marginHtmlOf(given: string | Partial<Record<'default' | 'first' | 'last', string>>): MarginHtml {
  if (typeof given === 'string') return { usual: given, first: null, last: null };
  return { usual: given.default ?? '', first: given.first ?? null, last: given.last ?? null };
}

const documentInfoOf = (
  { keywords, language, ...given }: Static<typeof Info>,
  field: string,
): DocumentInfo => ({
  ...given,
  ...(keywords !== undefined && { keywords: [keywords].flat().join(', ') }),
  ...(language !== undefined && { language: languageTagOf(language, `${field}.language`) }),
});

function paperOf(given: Static<typeof Paper>, field: string): PdfOutput['paper'] {
  const side = (name: 'width' | 'height'): number => {
    const inches = lengthInches(given[name]);
    if (inches < paperPx.min / 96 || inches > paperPx.max / 96)
      throw invalid(
        `${field}.${name}`,
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

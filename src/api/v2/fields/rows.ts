// All fields of a render request, in the order of the documents.
import { choice } from '#api/fields.ts';
import { accessRows } from '#api/v2/fields/access.ts';
import { deliveryRows, putRows } from '#api/v2/fields/delivery.ts';
import { extractRows } from '#api/v2/fields/extract.ts';
import { changeRows } from '#api/v2/fields/page.ts';
import { pdfRows } from '#api/v2/fields/pdf.ts';
import { pictureRows } from '#api/v2/fields/picture.ts';
import { formats, rowsOf } from '#api/v2/fields/row.ts';
import { sourceRows } from '#api/v2/fields/source.ts';
import { viewRows } from '#api/v2/fields/view.ts';
import { waitRows } from '#api/v2/fields/wait.ts';

/** The fields of one output: in `outputs`, or beside the fields of the page. */
export const outputRows = {
  format: rowsOf('output', 'Output').shown(
    choice(formats, { default: 'png', description: 'What is made of the page.' }),
  ),
  ...putRows,
  ...pictureRows,
  ...pdfRows,
  ...extractRows,
};

/** The fields of the page and of the answer, in the order of the request: those before its outputs, and those after. */
export const pageRows = {
  before: { ...sourceRows, ...viewRows },
  after: { ...accessRows, ...changeRows, ...waitRows, ...deliveryRows },
};

export const requestRows = { ...pageRows.before, ...outputRows, ...pageRows.after };

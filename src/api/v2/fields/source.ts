// Where the page comes from. The history has its kind and its address, without the query, in columns of their own.
import { sizedText, uri } from '#api/fields.ts';
import { target } from '#api/render-fields.ts';
import { rowsOf } from '#api/v2/fields/row.ts';

const MiB = 1024 * 1024;
const { hidden } = rowsOf('source', 'Source');

export const sourceRows = {
  url: hidden(target),
  html: hidden(sizedText(2 * MiB, 'An HTML document to render instead of an address.')),
  markdown: hidden(
    sizedText(
      MiB,
      'A Markdown document to render instead of an address; tables and task lists as on GitHub.',
    ),
  ),
  base_url: hidden(
    uri(
      'The public address that html or markdown has, such as https://example.com/blog/: relative links start from it.',
    ),
  ),
};

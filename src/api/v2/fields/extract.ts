// What is taken from the page as text.
import { flagOff } from '#api/fields.ts';
import { rowsOf } from '#api/v2/fields/row.ts';

const { shown } = rowsOf('output', 'Output', { formats: ['html', 'text', 'markdown'] });

export const extractRows = {
  main_content: shown(flagOff('Take the article only, without menus, advertisements and comments.')),
};

// Titles and tags as they are stored: on one line, without what a reader cannot see, each tag once.
import { invalid } from '#core/errors.ts';
import { visibleText } from '#uploads/filename.ts';

export const titleOf = (text: string): string => labelOf('title', text);

/** Its lines stay lines. */
export function descriptionOf(text: string): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => visibleText(line).trim());
  const description = lines.join('\n').trim();
  if (description === '') throw invalid('description', 'has no visible character');
  return description;
}

/** The tags of one upload. */
export const maxTags = 20;

export const tagOf = (text: string): string => labelOf('tag', text);

export const tagsOf = (texts: string[]): string[] => [
  ...new Set(texts.map((text, index) => labelOf(`tags[${index}]`, text))),
];

function labelOf(field: string, text: string): string {
  const label = visibleText(text).trim();
  if (label === '') throw invalid(field, 'has no visible character');
  return label;
}

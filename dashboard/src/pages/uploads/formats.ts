// The links of an upload in every format that people paste, the same as on the share page.
import type { Upload } from '#http/dashboard/views.ts';

export function formatsOf({ url, file_url, filename }: Upload): [label: string, text: string][] {
  const attribute = filename.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  return [
    ['Page link', url],
    ['Direct link', file_url],
    ['Markdown', `[![${filename.replaceAll(/[\\[\]]/g, String.raw`\$&`)}](${file_url})](${url})`],
    ['HTML', `<a href="${url}"><img src="${file_url}" alt="${attribute}" /></a>`],
    ['BBCode', `[url=${url}][img]${file_url}[/img][/url]`],
  ];
}

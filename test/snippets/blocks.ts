// The code blocks of the documents and of the reference page.
export interface Block {
  document: string;
  line: number;
  language: string;
  code: string;
}

/** Every fenced block of a Markdown text, also in a list. */
export function fencedBlocks(document: string, text: string): Block[] {
  return [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)].map(
    ([, indent = '', language = '', code = ''], index, all) => ({
      document,
      line: text.slice(0, all[index]?.index).split('\n').length,
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
}

/** The calls that /docs shows. Its other blocks, without a class, are responses: test/site/openapi-examples.test.ts compares those. */
export function pageBlocks(markup: string): Block[] {
  return [...markup.matchAll(/<pre[^>]*\sclass="(\w+)"[^>]*><code>([^<]*)<\/code><\/pre>/g)].map(
    ([, language = '', code = ''], index, all) => ({
      document: '/docs',
      line: markup.slice(0, all[index]?.index).split('\n').length,
      language,
      code: code
        .replaceAll(/&#(\d+);/g, (_, number: string) => String.fromCharCode(Number(number)))
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>'),
    }),
  );
}

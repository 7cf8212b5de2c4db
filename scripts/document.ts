// npm run document: with `pictures`, draws every page; otherwise writes what is generated from the code: the table of variables,
// the OpenAPI document, and the client's types and tool inputs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildOpenapi } from '#http/openapi/document.ts';
import { variables } from '#roof/config.ts';
import { writeClientContract } from '#scripts/client-contract.ts';

const docs = join(import.meta.dirname, '..', 'docs');
const begin = '<!-- begin: npm run document -->';
const end = '<!-- end -->';

export const openapiPath = join(docs, 'openapi.json');
export const configurationPath = join(docs, 'configuration.md');

/** The document as committed: its server URL is relative. */
export const openapiText = (): string => `${JSON.stringify(buildOpenapi('/'), null, 2)}\n`;

/** The page with its table regenerated from the code. */
export function configurationText(page: string): string {
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined)
    throw new Error(`docs/configuration.md has lost "${begin}"`);
  const rows = Object.entries(variables).map(
    ([name, { shownDefault, description, expected }]) =>
      `| \`${name}\` | ${shownDefault} | ${description} | ${expected} |`,
  );
  const table = ['| Variable | Default | Meaning | Form |', '|---|---|---|---|', ...rows].join('\n');
  return `${before}${begin}\n${table}\n${end}${after}`;
}

if (import.meta.main && process.argv[2] === 'pictures') {
  // Loaded on demand: it imports the whole service and a browser.
  const { drawPictures } = await import('#scripts/pictures.ts');
  await drawPictures();
} else if (import.meta.main) {
  writeClientContract();
  writeFileSync(openapiPath, openapiText());
  writeFileSync(configurationPath, configurationText(readFileSync(configurationPath, 'utf8')));
}

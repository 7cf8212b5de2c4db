// npm run document: with `pictures`, draws every page; otherwise writes what is generated from the code: the tables of variables and
// errors, the OpenAPI document, and what the clients know of fields and errors.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCodes, errorTable } from '#core/errors.ts';
import { buildOpenapi } from '#http/openapi/document.ts';
import { variables } from '#roof/config.ts';
import { writeClientContract } from '#scripts/client-contract.ts';
import { markdown, withGenerated } from '#scripts/generated-block.ts';

const docs = join(import.meta.dirname, '..', 'docs');

export const openapiPath = join(docs, 'openapi.json');
export const configurationPath = join(docs, 'configuration.md');
export const errorsPath = join(docs, 'errors.md');

/** The document as committed: its server URL is relative. */
export const openapiText = (): string => `${JSON.stringify(buildOpenapi('/'), null, 2)}\n`;

/** The page with its table regenerated from the code. */
export function configurationText(page: string): string {
  const rows = Object.entries(variables).map(
    ([name, { shownDefault, description, expected }]) =>
      `| \`${name}\` | ${shownDefault} | ${description} | ${expected} |`,
  );
  const table = ['| Variable | Default | Meaning | Form |', '|---|---|---|---|', ...rows].join('\n');
  return withGenerated(page, markdown, table);
}

/** The page with its table regenerated from the code. */
export function errorsText(page: string): string {
  const rows = errorCodes.map((code) => {
    const { status, retryable, means, todo } = errorTable[code];
    return `| \`${code}\` | ${status} | ${retryable ? 'yes' : 'no'} | ${means} | ${todo} |`;
  });
  const head = ['| Code | HTTP | Retry | What happened | What to do |', '|---|---|---|---|---|'];
  return withGenerated(page, markdown, [...head, ...rows].join('\n'));
}

if (import.meta.main && process.argv[2] === 'pictures') {
  // Loaded on demand: it imports the whole service and a browser.
  const { drawPictures } = await import('#scripts/pictures.ts');
  await drawPictures();
} else if (import.meta.main) {
  writeClientContract();
  writeFileSync(openapiPath, openapiText());
  writeFileSync(configurationPath, configurationText(readFileSync(configurationPath, 'utf8')));
  writeFileSync(errorsPath, errorsText(readFileSync(errorsPath, 'utf8')));
}

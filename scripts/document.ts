// npm run document: with `pictures`, draws every page; with `exchanges`, records both versions anew; otherwise writes what is generated from
// the code: the tables of variables, errors and ways out, the OpenAPI document, what the clients know of fields and errors, their version, the index of
// decisions, and the list of regular expressions that are proven linear.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCodes, errorCodesOf, errorTable } from '#core/errors.ts';
import { waysOut, type WayOut } from '#wall/ways-out.ts';
import { buildOpenapi } from '#site/openapi/document.ts';
import { failureReasons } from '#renders/stored-render.ts';
import { secretVariables, variables } from '#roof/config.ts';
import { writeClientContract } from '#scripts/client-contract.ts';
import { raiseClientsVersion } from '#scripts/client-version.ts';
import { devicesPath, devicesText } from '#scripts/devices.ts';
import { markdown, withGenerated } from '#scripts/generated-block.ts';

const docs = join(import.meta.dirname, '..', 'docs');
const MiB = 1024 * 1024;

export const openapiPath = join(docs, 'openapi.json');
export const openapiV2Path = join(docs, 'openapi-v2.json');
export const configurationPath = join(docs, 'configuration.md');
export const errorsPath = join(docs, 'errors.md');
export const securityPath = join(docs, 'security.md');
const decisions = join(docs, 'decisions');
export const decisionsPath = join(decisions, 'README.md');

/** The documents as committed: their server URL is relative. */
export const openapiText = (): string => `${JSON.stringify(buildOpenapi('/'), null, 2)}\n`;
export const openapiV2Text = (): string => `${JSON.stringify(buildOpenapi('/', 2), null, 2)}\n`;

/** The page with its table regenerated from the code. */
export function configurationText(page: string): string {
  const rows = Object.entries(variables).map(
    ([name, { shownDefault, description, expected }]) =>
      `| \`${name}\` | ${shownDefault} | ${description} | ${expected} |`,
  );
  const table = ['| Variable | Default | Meaning | Form |', '|---|---|---|---|', ...rows].join('\n');
  const files = secretVariables.map((name) => `\`${name}_FILE\``).join(', ');
  const secrets = `${files}: the path of a file that holds the variable of that name, for secrets that are mounted as files.`;
  return withGenerated(page, markdown, `${table}\n\n${secrets}`);
}

/** The page with its table regenerated from the code. */
export function errorsText(page: string): string {
  const rows = errorCodes.map((code) => {
    const { status, retryable, means, todo } = errorTable[code];
    const versions = ([1, 2] as const).filter((version) => errorCodesOf(version).includes(code)).join(', ');
    return `| \`${code}\` | ${status} | ${versions} | ${retryable ? 'yes' : 'no'} | ${means} | ${todo} |`;
  });
  const head = [
    '| Code | HTTP | Version | Retry | What happened | What to do |',
    '|---|---|---|---|---|---|',
  ];
  const reasons = (isRetryable: boolean): string =>
    Object.entries(failureReasons)
      .flatMap(([reason, { retryable }]) => (retryable === isRetryable ? [`\`${reason}\``] : []))
      .join(', ');
  const why = `In version 2, \`render_failed\` is worth a retry for the reasons ${reasons(true)}, and not for ${reasons(false)}.`;
  return withGenerated(page, markdown, [...head, ...rows, '', why].join('\n'));
}

/** The page with a row for each way out. */
export function securityText(page: string): string {
  const rows = Object.values<WayOut>(waysOut).map((way) => {
    const openings = way.openings === 'any' ? 'not judged' : way.openings.map(nameOfOpening).join(', ');
    return `| ${way.what} | ${way.schemes.join(', ')} | ${way.redirects} | ${openings} | ${limitsOf(way)} | ${way.refusal} |`;
  });
  const head = [
    '| To | Schemes | Redirects | Opened by | Limits | If not allowed |',
    '|---|---|---|---|---|---|',
  ];
  return withGenerated(page, markdown, [...head, ...rows].join('\n'));
}

const nameOfOpening = (opening: string): string =>
  opening === 'grants' ? 'private hosts' : `\`${opening}\``;

function limitsOf(way: WayOut): string {
  if (way.through === 'door') {
    const { bytes, requests, connections } = way.limits;
    return `a render: ${bytes / MiB} MiB, ${requests.toLocaleString('en')} requests, ${connections.toLocaleString('en')} connections`;
  }
  const seconds = `${way.limits.exchangeMs / 1_000} s`;
  if (way.through === 'library') return seconds;
  const { msPerMiB, bodyBytes } = way.limits;
  const more = `${seconds} and ${msPerMiB / 1_000} s for each MiB`;
  return bodyBytes === undefined ? more : `${more}; ${bodyBytes / MiB} MiB`;
}

/** The page with a line for each decision. */
export function decisionsText(page: string): string {
  const lines = readdirSync(decisions)
    .filter((name) => /^\d/.test(name))
    .toSorted()
    .map((name) => {
      const text = readFileSync(join(decisions, name), 'utf8');
      const [, number = '', title = ''] = /^# (\d+)\. (.+)/.exec(text) ?? [];
      const [, date = 'no date'] = /^Decided on (\d{4}-\d{2}-\d{2})\./m.exec(text) ?? [];
      const [superseded = ''] = /^Superseded by .+(?=\.$)/m.exec(text) ?? [];
      return `| ${number} | [${title}](${name}) | ${date} | ${superseded} |`;
    });
  return withGenerated(page, markdown, ['| | Decision | Date | |', '|---|---|---|---|', ...lines].join('\n'));
}

if (import.meta.main && process.argv[2] === 'pictures') {
  // Loaded on demand: it imports the whole service and a browser.
  const { drawPictures } = await import('#scripts/pictures.ts');
  await drawPictures();
} else if (import.meta.main && process.argv[2] === 'exchanges') {
  const { recordExchanges } = await import('#test/support/exchanges/record.ts');
  await recordExchanges();
} else if (import.meta.main) {
  // Loaded on demand, too: only this writes the list.
  const { provenPath, provenText } = await import('#test/support/regular-expressions.ts');
  writeFileSync(provenPath, provenText());
  writeFileSync(devicesPath, devicesText());
  writeClientContract();
  raiseClientsVersion();
  writeFileSync(openapiPath, openapiText());
  writeFileSync(openapiV2Path, openapiV2Text());
  writeFileSync(configurationPath, configurationText(readFileSync(configurationPath, 'utf8')));
  writeFileSync(errorsPath, errorsText(readFileSync(errorsPath, 'utf8')));
  writeFileSync(securityPath, securityText(readFileSync(securityPath, 'utf8')));
  writeFileSync(decisionsPath, decisionsText(readFileSync(decisionsPath, 'utf8')));
}

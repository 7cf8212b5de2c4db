// The same call in three languages, ready to paste: for the reference, and for the dashboard's playground. TypeScript and Python use
// the clients that this service offers for download, which handle retries, waits and repeats.
import { clientsVersion } from '#site/clients-version.ts';
import { outputFiles } from '#renders/output-files.ts';
import { camelCase } from '#api/camel-case.ts';

export const languages = { curl: 'curl', typescript: 'TypeScript', python: 'Python' };
export type Language = keyof typeof languages;

const longestLine = 80;
const nodeFiles = 'node:fs/promises';

/**
 * Stands for the key in a shell: a key is shown only once, so no page has it. The clients of TypeScript and Python read the same variable
 * by themselves.
 */
export const keyPlaceholder = '$TINTYPE_API_KEY';

export interface Call {
  baseUrl: string;
  /** Below /api/v1/; `render` is version 2. */
  endpoint: string;
  /** The fields; `file` of an upload is the name of a file, or several. */
  body: Record<string, unknown>;
}

const pathOf = (endpoint: string): string =>
  endpoint === 'render' ? '/api/v2/renders' : `/api/v1/${endpoint}`;

export const sampleOf = (language: Language, call: Call): string => {
  const writers = { curl, typescript, python };
  return writers[language](call);
};

function curl(call: Call): string {
  const { baseUrl, endpoint, body } = call;
  const lines = [
    `curl --fail-with-body ${baseUrl}${pathOf(endpoint)}`,
    `-H "Authorization: Bearer ${keyPlaceholder}"`,
  ];
  if ('file' in body) {
    for (const [name, value] of Object.entries(body))
      for (const one of [value].flat())
        lines.push(`-F ${shellWord(`${name}=${name === 'file' ? '@' : ''}${String(one)}`)}`);
  } else {
    lines.push('-H "Content-Type: application/json"', `-d ${shellWord(JSON.stringify(body))}`);
    if (!isHosted(call)) lines.push(`-o ${outputOf(call)}`);
  }
  return lines.join(' \\\n  ');
}

function typescript(call: Call): string {
  const { baseUrl, endpoint, body } = call;
  const { url, file, ...options } = body;
  const words =
    endpoint === 'render' ? [body] : [file ?? url, ...(Object.keys(options).length > 0 ? [options] : [])];
  const given = words.map((word) => argument(camelNames(word))).join(', ');
  const calls: Record<string, string> = {
    upload: `const { url } = await tintype.upload(${given});
console.log(url);`,
    'upload/batch': `const { items } = await tintype.uploadBatch(${given});
for (const item of items) console.log(item.ok ? item.upload.url : item.error.message);`,
  };
  const hosted =
    endpoint === 'render'
      ? `${isQueued(call) ? 'const { id }' : 'const { outputs }'} = await tintype.render(${given});
${isQueued(call) ? 'const { outputs } = await tintype.waitForRender(id);\n' : ''}for (const { url } of outputs) console.log(url);`
      : `const { url } = await tintype.${endpoint}(${given});
console.log(url);`;
  const render = isHosted(call)
    ? hosted
    : `const { bytes } = await tintype.${endpoint}(${given});
await writeFile('${outputOf(call)}', bytes);`;
  const isWritten = !('file' in body || isHosted(call));
  return `// npm install ${baseUrl}/clients/tintype-client-${clientsVersion}.tgz
${isWritten ? `import { writeFile } from '${nodeFiles}';\n` : ''}import { Tintype } from '@tintype/client';

const tintype = new Tintype({ baseUrl: '${baseUrl}' });
${calls[endpoint] ?? render}`;
}

function python(call: Call): string {
  const { baseUrl, endpoint, body } = call;
  const { url, file, response: _response, async: _async, ...options } = body;
  const named = Object.entries(options).map(([name, value]) => `${name}=${literal(value, true)}`);
  const first = file ?? url;
  const given = onLines([...(first === undefined ? [] : [literal(first, true)]), ...named], '(', ')', '    ');
  const calls: Record<string, string> = {
    upload: `upload = tintype.upload${given}
print(upload.url)`,
    'upload/batch': `for item in tintype.upload_batch${given}.items:
    print(item.upload.url if item.ok else item.error.message)`,
  };
  const printed =
    endpoint === 'render' ? 'print(*(output["url"] for output in hosted.outputs))' : 'print(hosted.url)';
  const render = isQueued(call)
    ? `queued = tintype.queue_render${given}
hosted = tintype.wait_for_render(queued.id)
${printed}`
    : isHosted(call)
      ? `hosted = tintype.hosted_${endpoint}${given}
${printed}`
      : `render = tintype.${endpoint}${given}
print(render.save("${outputOf(call)}", overwrite=True))`;
  return `# pip install ${baseUrl}/clients/tintype-${clientsVersion}-py3-none-any.whl
from tintype import Tintype

tintype = Tintype("${baseUrl}")
${calls[endpoint] ?? render}`;
}

const isQueued = ({ body }: Call): boolean => body['async'] === true;
/** The answer is a receipt with links, not the file. */
const isHosted = (call: Call): boolean => call.body['response'] === 'json' || isQueued(call);

const outputOf = ({ endpoint, body: { format = 'png' } }: Call): string =>
  `page.${endpoint === 'pdf' ? 'pdf' : endingOf(String(format))}`;

/** How the name of a file in this format ends. */
export const endingOf = (format: string): string =>
  outputFiles[format as keyof typeof outputFiles]?.extensions[0] ?? format;

/** As the library names them. The names of headers are the page's own. */
function camelNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelNames);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      camelCase(name),
      name === 'headers' ? inner : camelNames(inner),
    ]),
  );
}

/** An argument of TypeScript. */
function argument(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return literal(value, false);
  const fields = Object.entries(value).map(
    ([name, inner]) => `${nameOf(name, false)}: ${literal(inner, false)}`,
  );
  return onLines(fields, '{ ', ' }', '  ');
}

/** On one line if it is short, otherwise each on its own. */
function onLines(parts: string[], open: string, close: string, indent: string): string {
  const line = open + parts.join(', ') + close;
  if (line.length <= longestLine) return line;
  return `${open.trim()}\n${parts.map((part) => `${indent}${part},\n`).join('')}${close.trim()}`;
}

function literal(value: unknown, isPython: boolean): string {
  if (Array.isArray(value)) return `[${value.map((one) => literal(one, isPython)).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(
      ([name, inner]) => `${nameOf(name, isPython)}: ${literal(inner, isPython)}`,
    );
    return isPython ? `{${fields.join(', ')}}` : `{ ${fields.join(', ')} }`;
  }
  if (isPython && typeof value === 'boolean') return value ? 'True' : 'False';
  if (isPython && value === null) return 'None';
  const text = JSON.stringify(value);
  return isPython || /['\\]/.test(text) ? text : text.replaceAll('"', "'");
}

const nameOf = (name: string, isPython: boolean): string =>
  !isPython && /^[A-Za-z_]\w*$/.test(name) ? name : literal(name, isPython);

/** Quoted where a shell would read more into it. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

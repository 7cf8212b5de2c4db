// The same call as curl, TypeScript and Python, ready to paste.
export type Language = 'curl' | 'typescript' | 'python';

/** Stands in for the key: a key is shown only once, so these pages do not have it. */
export const keyPlaceholder = 'YOUR_API_KEY';

/** An upload command that works as pasted: it contains the picture. */
export function firstCurl(baseUrl: string, key: string): string {
  const picture =
    '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="120"><rect width="320" height="120" fill="#7a4b23"/>' +
    '<text x="40" y="72" font-size="36" fill="#fff" font-family="sans-serif">It works</text></svg>';
  return `echo '${picture}' |\n  curl ${baseUrl}/api/v1/upload -H "Authorization: Bearer ${key}" -F "file=@-;filename=hello.svg"`;
}

/** A screenshot command that works as pasted, for a key that may not upload. */
export const firstRender = (baseUrl: string, key: string): string =>
  jsonCall('curl', baseUrl, 'screenshot', { url: 'https://example.com' }).replace(keyPlaceholder, key);

export function jsonCall(
  language: Language,
  baseUrl: string,
  kind: 'screenshot' | 'pdf',
  body: Record<string, unknown>,
): string {
  const address = `${baseUrl}/api/v1/${kind}`;
  const isJson = body['response'] === 'json';
  const file = `page.${kind === 'pdf' ? 'pdf' : typeof body['format'] === 'string' ? body['format'] : 'png'}`;
  if (language === 'curl') {
    const quoted = JSON.stringify(body).replaceAll("'", String.raw`'\''`);
    return `curl ${address} \\
  -H "Authorization: Bearer ${keyPlaceholder}" \\
  -H "Content-Type: application/json" \\
  -d '${quoted}'${isJson ? '' : ` \\\n  -o ${file}`}`;
  }
  if (language === 'typescript') {
    return `${isJson ? '' : `import { writeFile } from 'node:fs/promises';\n\n`}const response = await fetch('${address}', {
  method: 'POST',
  headers: {
    Authorization: 'Bearer ${keyPlaceholder}',
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${indent(JSON.stringify(body, null, 2), 2)}),
});
if (!response.ok) throw new Error((await response.json()).error.message);
${isJson ? 'console.log(await response.json());' : `await writeFile('${file}', await response.bytes());`}`;
  }
  return `import requests

response = requests.post(
    "${address}",
    headers={"Authorization": "Bearer ${keyPlaceholder}"},
    json=${indent(python(body), 4)},
)
response.raise_for_status()
${isJson ? 'print(response.json())' : `with open("${file}", "wb") as file:\n    file.write(response.content)`}`;
}

export function uploadCall(
  language: Language,
  baseUrl: string,
  filename: string,
  expiresIn: number | undefined,
): string {
  const address = `${baseUrl}/api/v1/upload`;
  const name = filename.replaceAll(/["'\\]/g, '');
  if (language === 'curl') {
    return `curl ${address} \\
  -H "Authorization: Bearer ${keyPlaceholder}" \\
  -F "file=@${name}"${expiresIn === undefined ? '' : ` \\\n  -F expires_in=${expiresIn}`}`;
  }
  if (language === 'typescript') {
    return `import { openAsBlob } from 'node:fs';

const form = new FormData();
form.set('file', await openAsBlob('${name}'), '${name}');${expiresIn === undefined ? '' : `\nform.set('expires_in', '${expiresIn}');`}
const response = await fetch('${address}', {
  method: 'POST',
  headers: { Authorization: 'Bearer ${keyPlaceholder}' },
  body: form,
});
if (!response.ok) throw new Error((await response.json()).error.message);
console.log((await response.json()).url);`;
  }
  return `import requests

with open("${name}", "rb") as file:
    response = requests.post(
        "${address}",
        headers={"Authorization": "Bearer ${keyPlaceholder}"},
        files={"file": file},${expiresIn === undefined ? '' : `\n        data={"expires_in": ${expiresIn}},`}
    )
response.raise_for_status()
print(response.json()["url"])`;
}

const indent = (text: string, spaces: number): string => text.replaceAll('\n', `\n${' '.repeat(spaces)}`);

function python(value: unknown, depth = 1): string {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const pad = ' '.repeat(4 * depth);
  const lines = Object.entries(value).map(
    ([name, inner]) => `${pad}${JSON.stringify(name)}: ${python(inner, depth + 1)},`,
  );
  return `{\n${lines.join('\n')}\n${' '.repeat(4 * (depth - 1))}}`;
}

// The same call in three languages, ready to paste: curl, TypeScript and Python, each on what the language brings by itself.

export interface Sample {
  language: string;
  id: string;
  code: string;
}

export function samplesOf(
  baseUrl: string,
  path: string,
  body: Record<string, unknown> | undefined,
): Sample[] {
  const call = { address: baseUrl + path, path, body };
  return [
    { language: 'curl', id: 'curl', code: body ? curlJson(call) : curlForm(call) },
    { language: 'TypeScript', id: 'typescript', code: body ? typescriptJson(call) : typescriptForm(call) },
    { language: 'Python', id: 'python', code: body ? pythonJson(call) : pythonForm(call) },
  ];
}

interface Call {
  address: string;
  path: string;
  body: Record<string, unknown> | undefined;
}

const isBatch = ({ path }: Call): boolean => path.endsWith('/batch');
const outputOf = ({ path }: Call): string => (path.endsWith('/pdf') ? 'page.pdf' : 'page.png');

const curlForm = (call: Call): string =>
  `curl --fail-with-body ${call.address} \\
  -H "Authorization: Bearer $TINTYPE_API_KEY" \\
  ${isBatch(call) ? '-F file=@one.png -F file=@two.jpg' : '-F file=@photo.png'}`;

const curlJson = (call: Call): string =>
  `curl --fail-with-body ${call.address} \\
  -H "Authorization: Bearer $TINTYPE_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify(call.body)}' \\
  -o ${outputOf(call)}`;

const typescriptForm = (call: Call): string =>
  `import { openAsBlob } from 'node:fs';

const form = new FormData();
${(isBatch(call) ? ['one.png', 'two.jpg'] : ['photo.png'])
  .map((name) => `form.append('file', await openAsBlob('${name}'), '${name}');`)
  .join('\n')}

const response = await fetch('${call.address}', {
  method: 'POST',
  headers: { Authorization: \`Bearer \${process.env.TINTYPE_API_KEY}\` },
  body: form,
});
if (!response.ok) throw new Error(await response.text());
console.log(await response.json());`;

const typescriptJson = (call: Call): string =>
  `import { writeFile } from 'node:fs/promises';

const response = await fetch('${call.address}', {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.TINTYPE_API_KEY}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${JSON.stringify(call.body)}),
});
if (!response.ok) throw new Error(await response.text());
await writeFile('${outputOf(call)}', await response.bytes());`;

const pythonForm = (call: Call): string =>
  `import os, requests

files = [${(isBatch(call) ? ['one.png', 'two.jpg'] : ['photo.png']).map((name) => `("file", open("${name}", "rb"))`).join(', ')}]
response = requests.post(
    "${call.address}",
    headers={"Authorization": f"Bearer {os.environ['TINTYPE_API_KEY']}"},
    files=files,
)
response.raise_for_status()
print(response.json())`;

const pythonJson = (call: Call): string =>
  `import os, requests

response = requests.post(
    "${call.address}",
    headers={"Authorization": f"Bearer {os.environ['TINTYPE_API_KEY']}"},
    json=${JSON.stringify(call.body)},
)
response.raise_for_status()
with open("${outputOf(call)}", "wb") as file:
    file.write(response.content)`;

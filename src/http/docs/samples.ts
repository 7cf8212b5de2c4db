// The same call in three languages, ready to paste: curl, TypeScript and Python.
import { camelCased } from '#http/api/camel-case.ts';

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
const outputOf = ({ path, body }: Call): string => {
  const format = body?.['format'];
  return `page.${path.endsWith('/pdf') ? 'pdf' : typeof format === 'string' ? format : 'png'}`;
};

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

/** Uses the client that this service offers for download: it handles retries, waits and repeats itself. */
const typescript = ({ address, path }: Call, call: string): string => {
  const baseUrl = address.slice(0, -path.length);
  return `// npm install ${baseUrl}/clients/tintype-client.tgz
import { Tintype } from '@tintype/client';

const tintype = new Tintype({ baseUrl: '${baseUrl}', apiKey: 'YOUR_API_KEY' });
${call}`;
};

const typescriptForm = (call: Call): string =>
  typescript(
    call,
    isBatch(call)
      ? `const { items } = await tintype.uploadBatch(['one.png', 'two.jpg']);
for (const item of items) console.log(item.ok ? item.upload.url : item.error.message);`
      : `const { url, deleteUrl } = await tintype.upload('photo.png');
console.log(url);`,
  );

function typescriptJson(call: Call): string {
  const { url, ...options } = call.body ?? {};
  const named = Object.entries(camelCased({ ...options, response: 'json' })).map(
    ([name, value]) => `${name}: ${JSON.stringify(value).replaceAll('"', "'")}`,
  );
  const method = call.path.endsWith('/pdf') ? 'pdf' : 'screenshot';
  return typescript(
    call,
    `const hosted = await tintype.${method}('${String(url)}', { ${named.join(', ')} });
console.log(hosted.url);`,
  );
}

/** Uses the module that this service offers for download: the standard library only, with the client's retries. */
const python = ({ address, path }: Call, call: string): string => {
  const baseUrl = address.slice(0, -path.length);
  return `# curl --fail -sSO ${baseUrl}/clients/tintype.py
from tintype import Tintype

tintype = Tintype("${baseUrl}", "YOUR_API_KEY")
${call}`;
};

const pythonForm = (call: Call): string =>
  python(
    call,
    isBatch(call)
      ? `for item in tintype.upload_batch(["one.png", "two.jpg"]).items:
    print(item.upload.url if item.ok else item.error.message)`
      : `upload = tintype.upload("photo.png")
print(upload.url)`,
  );

function pythonJson(call: Call): string {
  const { url, ...options } = call.body ?? {};
  const named = Object.entries(options).map(([name, value]) => `, ${name}=${pythonValue(value)}`);
  const method = call.path.endsWith('/pdf') ? 'pdf' : 'screenshot';
  return python(
    call,
    `render = tintype.${method}(${pythonValue(url)}${named.join('')})
print(render.save("${outputOf(call)}", overwrite=True))`,
  );
}

function pythonValue(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, inner]) => `"${name}": ${pythonValue(inner)}`);
  return `{${fields.join(', ')}}`;
}

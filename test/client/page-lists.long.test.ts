// The lists of `tt shots` and `tt pdfs`: URLs, JSON lines and YAML, with a name and options for each page.
import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { picture, refusal, startFaultServer, type FaultServer } from './support.ts';
import { createCommandLine, type CommandLine } from './tt.ts';

let server: FaultServer;
let line: CommandLine;

before(async () => {
  server = await startFaultServer();
  line = await createCommandLine({ url: server.origin, key: 'tt_key' });
});
after(async () => {
  await line.remove();
  await server.stop();
});

async function render(command: string, file: string, list: string, ...flags: string[]) {
  await writeFile(join(line.folder, file), list);
  return line.tt([command, '-f', file, '-o', `${command}-${file}`, ...flags]);
}

const bodies = (): Record<string, unknown>[] =>
  server.seen
    .map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>)
    .toSorted((a, b) => String(a['url']).localeCompare(String(b['url'])));

const expected = [
  { url: 'https://a.test', width: 800, format: 'webp' },
  { url: 'https://b.test', width: 400, full_page: true, format: 'jpeg' },
  { url: 'https://c.test', width: 800 },
];

const lists = {
  'pages.jsonl': `# pages
{"url": "a.test", "name": "home.webp"}
{"url": "b.test", "output": "example.com", "width": 400, "full_page": true, "format": "jpeg"}
c.test
`,
  'pages.yaml': `---
# pages
- url: a.test   # the first
  name: 'home.webp'
- url: "https://b.test"
  output: example.com
  width: 400
  full-page: true
  format: jpeg
- url: c.test
`,
};

for (const [file, list] of Object.entries(lists)) {
  test(`${file}: each page has its own name and options, and the others are those of the command`, async () => {
    server.play(picture);
    const { code, stderr } = await render('shots', file, list, '--width', '800');
    assert.equal(code, 0, stderr);
    assert.deepEqual(bodies(), expected);
    const names = await readdir(join(line.folder, `shots-${file}`));
    assert.equal(names.length, 3);
    assert.ok(names.includes('home.webp') && names.includes('example.com.jpg'), names.join(' '));
  });
}

test('tt pdfs takes the options of tt pdf for each page', async () => {
  server.play((response) => void response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF-'));
  const list = '- url: a.test\n  margin: 1cm 2cm\n  width: 800\n  no-print-background: true\n';
  const { code, stderr } = await render('pdfs', 'one.yaml', list);
  assert.equal(code, 0, stderr);
  const margin = { top: '1cm', right: '2cm', bottom: '1cm', left: '2cm' };
  assert.deepEqual(bodies(), [
    { url: 'https://a.test', margin, viewport: { width: 800 }, print_background: false },
  ]);
});

const mistakes: [title: string, file: string, list: string, says: RegExp][] = [
  ['not JSON', 'x.jsonl', 'a.test\n{"url": \n', /line 2 of x\.jsonl: not JSON/],
  ['no url', 'x.jsonl', '{"name": "a"}', /line 1 of x\.jsonl: url is missing/],
  [
    'a field that decides the answer',
    'x.jsonl',
    '{"url": "a.test", "response": "json"}',
    /unknown field "response"; known are url, name, full-page/,
  ],
  [
    'a wrong type',
    'x.yaml',
    '- url: a.test\n  full_page: 5\n',
    /line 1 of x\.yaml: full_page must be true or false/,
  ],
  ['a name in another folder', 'x.yaml', '- url: a.test\n  name: ../a\n', /name must be the name of a file/],
  ['a hidden name', 'x.yaml', '- url: a.test\n  name: .tt-run\n', /name must be the name of a file/],
  ['a name of another format', 'x.jsonl', '{"url": "a.test", "name": "a.pdf"}', /a\.pdf: cannot make \.pdf/],
  [
    'one name for two pages',
    'x.yaml',
    '- url: a.test\n  name: a\n- url: b.test\n  name: a\n',
    /two pages would be written to a\.png/,
  ],
  [
    'YAML of another kind',
    'x.yaml',
    'pages:\n  - url: a.test\n',
    /line 1 of x\.yaml: expected "- url: ADDRESS"/,
  ],
  ['an empty list', 'x.txt', '# nothing\n', /no URLs in x\.txt/],
];

for (const [title, file, list, says] of mistakes) {
  test(`${title} is refused by its line, and nothing is sent`, async () => {
    server.play(picture);
    const { code, stderr } = await render('shots', file, list);
    assert.equal(code, 2, stderr);
    assert.match(stderr, says);
    assert.equal(server.seen.length, 0);
  });
}

test('a wait of five seconds or more is told where there is no bar', async () => {
  server.play(refusal(429, 'rate_limited', { 'retry-after': '5' }), picture);
  const { code, stderr } = await render('shots', 'wait.txt', 'a.test\n');
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^tt: 0 of 1 done; waiting 5 s for the request budget$/m);
});

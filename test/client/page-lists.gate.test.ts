// The lists of `tt shots` and `tt pdfs`: URLs and JSON lines, with a name and options for each page.
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

async function render(command: string, file: string, content: string, ...flags: string[]) {
  await writeFile(join(line.folder, file), content);
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

const list = `# pages
{"url": "a.test", "name": "home.webp"}
{"url": "b.test", "output": "example.com", "width": 400, "full_page": true, "format": "jpeg"}
c.test
`;

test('each page has its own name and options, and the others are those of the command', async () => {
  server.play(picture);
  const { code, stderr } = await render('shots', 'pages.jsonl', list, '--width', '800');
  assert.equal(code, 0, stderr);
  assert.deepEqual(bodies(), expected);
  const names = await readdir(join(line.folder, 'shots-pages.jsonl'));
  assert.equal(names.length, 3);
  assert.ok(names.includes('home.webp') && names.includes('example.com.jpg'), names.join(' '));
});

test('tt pdfs takes the options of tt pdf for each page', async () => {
  server.play((response) => void response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF-'));
  const one = '{"url": "a.test", "margin": "1cm 2cm", "width": 800, "no-print-background": true}';
  const { code, stderr } = await render('pdfs', 'one.jsonl', one);
  assert.equal(code, 0, stderr);
  const margin = { top: '1cm', right: '2cm', bottom: '1cm', left: '2cm' };
  assert.deepEqual(bodies(), [
    { url: 'https://a.test', margin, viewport: { width: 800 }, print_background: false },
  ]);
});

const mistakes: [title: string, file: string, content: string, says: RegExp][] = [
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
    'x.jsonl',
    '{"url": "a.test", "full_page": 5}',
    /line 1 of x\.jsonl: full_page must be true or false/,
  ],
  [
    'a name in another folder',
    'x.jsonl',
    '{"url": "a.test", "name": "../a"}',
    /name must be the name of a file/,
  ],
  ['a hidden name', 'x.jsonl', '{"url": "a.test", "name": ".tt-run"}', /name must be the name of a file/],
  ['a name of another format', 'x.jsonl', '{"url": "a.test", "name": "a.pdf"}', /a\.pdf: cannot make \.pdf/],
  [
    'one name for two pages',
    'x.jsonl',
    '{"url": "a.test", "name": "a"}\n{"url": "b.test", "name": "a"}\n',
    /two pages would be written to a\.png/,
  ],
  [
    'YAML',
    'x.yaml',
    '- url: a.test\n',
    /x\.yaml: YAML is not read; write one URL or JSON object per line: \{"url"/,
  ],
  ['an empty list', 'x.txt', '# nothing\n', /no URLs in x\.txt/],
];

for (const [title, file, content, says] of mistakes) {
  test(`${title} is refused, and nothing is sent`, async () => {
    server.play(picture);
    const { code, stderr } = await render('shots', file, content);
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

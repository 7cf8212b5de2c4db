// Playwright behind a bare HTTP server: POST {"url","kind","wait"} answers with the bytes.
// node render.js '{"executablePath","env"}'
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';

const { executablePath, env } = JSON.parse(process.argv[2]);
// As root, Chromium starts only without its sandbox; Playwright cannot run it as another user.
// Only servers on this machine are measured; the names of others do not resolve, at once.
const args = ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1'];
const browser = await chromium.launch({ executablePath, args, env });

async function render({ url, kind, wait }) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    await page.goto(url, { waitUntil: wait === 'idle' ? 'networkidle' : 'load' });
    return kind === 'pdf'
      ? await page.pdf({ printBackground: true })
      : await page.screenshot({ type: 'png' });
  } finally {
    await context.close();
  }
}

async function answer(request, response) {
  let status = 200;
  let bytes;
  try {
    bytes = await render(JSON.parse(Buffer.concat(await request.toArray()).toString()));
  } catch (error) {
    status = 500;
    bytes = Buffer.from(String(error?.stack ?? error));
    process.stderr.write(`playwright: ${bytes}\n`);
  }
  response.writeHead(status, { 'content-length': bytes.length }).end(bytes);
}

const server = createServer((request, response) => void answer(request, response));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));

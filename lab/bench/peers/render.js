// One of the render peers behind a bare HTTP server: POST {"url","kind","wait","isFullPage"} answers with the bytes.
// node render.js NAME '{"executablePath","isShell","env"}'
import { createServer } from 'node:http';
import { cpus } from 'node:os';
import createBrowserless from 'browserless';
import { chromium } from 'playwright-core';
import * as puppeteer from 'puppeteer';
// For browserless: it calls functions that later versions no longer have.
import * as puppeteer24 from 'puppeteer-24';
import { Cluster } from 'puppeteer-cluster';

const [name, settings] = process.argv.slice(2);
const { executablePath, isShell, env } = JSON.parse(settings);
const viewport = { width: 1440, height: 900 };
// As root, Chromium starts only without its sandbox; the peers cannot run it as another user.
// Only servers on this machine are measured; the names of others do not resolve, at once.
const args = ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1'];
const launch = { executablePath, headless: isShell ? 'shell' : true, args, env, defaultViewport: viewport };
const idle = { idle: ['load', 'networkidle0'], load: 'load' };

async function puppeteerPage(page, { url, kind, wait, isFullPage }) {
  await page.goto(url, { waitUntil: idle[wait] });
  return kind === 'pdf'
    ? page.pdf({ printBackground: true, tagged: false })
    : page.screenshot({ type: 'png', fullPage: isFullPage });
}

const peers = {
  /** A fresh browser for every request. */
  async puppeteer() {
    return async (job) => {
      const browser = await puppeteer.launch(launch);
      try {
        return await puppeteerPage(await browser.newPage(), job);
      } finally {
        await browser.close();
      }
    };
  },
  async 'puppeteer-cluster'() {
    const cluster = await Cluster.launch({
      puppeteer,
      concurrency: Cluster.CONCURRENCY_CONTEXT,
      maxConcurrency: cpus().length * 2,
      puppeteerOptions: launch,
    });
    await cluster.task(({ page, data }) => puppeteerPage(page, data));
    return (job) => cluster.execute(job);
  },
  async playwright() {
    const browser = await chromium.launch({ executablePath, args, env });
    return async ({ url, kind, wait, isFullPage }) => {
      const context = await browser.newContext({ viewport });
      try {
        const page = await context.newPage();
        await page.goto(url, { waitUntil: wait === 'idle' ? 'networkidle' : 'load' });
        return kind === 'pdf'
          ? await page.pdf({ printBackground: true })
          : await page.screenshot({ type: 'png', fullPage: isFullPage });
      } finally {
        await context.close();
      }
    };
  },
  async browserless() {
    const factory = createBrowserless({ ...launch, puppeteer: puppeteer24 });
    return async ({ url, kind, wait, isFullPage }) => {
      const context = await factory.createContext();
      try {
        const browserless = await context;
        // Its ad blocker would only cost it time.
        const options = { adblock: false, waitUntil: idle[wait] };
        return kind === 'pdf'
          ? await browserless.pdf(url, { ...options, printBackground: true })
          : await browserless.screenshot(url, { ...options, type: 'png', fullPage: isFullPage });
      } finally {
        await context.destroyContext();
      }
    };
  },
};

const render = await peers[name]();
async function answer(request, response) {
  let status = 200;
  let bytes;
  try {
    bytes = await render(JSON.parse(Buffer.concat(await request.toArray()).toString()));
  } catch (error) {
    status = 500;
    bytes = Buffer.from(String(error?.stack ?? error));
    process.stderr.write(`${name}: ${bytes}\n`);
  }
  response.writeHead(status, { 'content-length': bytes.length }).end(bytes);
}

const server = createServer((request, response) => void answer(request, response));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));

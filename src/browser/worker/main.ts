// The program of a render worker: one browser with its egress proxy and its pages, for one account at a time. Everything that a page or
// its server sends ends here; the service gets a file and a receipt. The worker ends with its service and with its browser.
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';
import { inspect } from 'node:util';
import { openEgressDoor } from '#wall/door.ts';
import type { Task } from '#browser/job.ts';
import { RenderFailure } from '#browser/browser.ts';
import {
  ChromiumStartError,
  launchChromium,
  type ChromiumProcess,
} from '#browser/process/chromium-process.ts';
import { createPhase, startStepMs } from '#browser/process/deadline.ts';
import { lowerPriority } from '#browser/process/priority.ts';
import { become } from '#browser/process/unprivileged.ts';
import { openPage, type Page } from '#browser/page/page.ts';
import { PictureDeclined, type DeclineReason, type PictureTask } from '#browser/picture-job.ts';
import { openChannel, toWorkerCharacters } from '#browser/worker/channel.ts';
import { createDecoder, type Decoder } from '#browser/worker/decoder.ts';
import { drawingTestViewport, testDrawing, type DrawingTest } from '#browser/worker/drawing-test.ts';
import {
  fileOf,
  type Failed,
  type FromWorker,
  type Receipt,
  type Started,
  type StartOrder,
  type ToWorker,
} from '#browser/worker/messages.ts';
import { createPages, type Pages } from '#browser/worker/pages.ts';
import { readComplaint, readFailed, readReceipt } from '#browser/worker/receipt.ts';
import { renderPage, type Made, type RenderOptions } from '#browser/worker/render-page.ts';
import { rulesOf } from '#browser/worker/task-rules.ts';
import { testWall } from '#browser/worker/wall-test.ts';

const never = new AbortController().signal;
const onePixel = { x: 0, y: 0, width: 1, height: 1, scale: 1 };
const running = new Map<string, AbortController>();
let browser: ChromiumProcess | undefined;
let pages: Pages | undefined;
let decoder: Decoder | undefined;

const send: (message: FromWorker) => void = openChannel(process.stdin, process.stdout, {
  maxCharacters: toWorkerCharacters,
  onMessage: (message) => obey(message as ToWorker),
  onBroken: exit,
});

function obey(message: ToWorker): void {
  if ('start' in message) start(message.start).catch(refuse);
  else if ('render' in message) render(message.render, message.task, message.leftMs).catch(exit);
  else if ('abort' in message) running.get(message.abort)?.abort();
  else if ('ping' in message) send({ pong: message.ping });
  else if ('check' in message) check(message.check).catch(exit);
  else rest(message.rest).catch(exit);
}

async function start(order: StartOrder): Promise<void> {
  lowerPriority(order.niceness);
  const launching = launchChromium({
    ...order,
    folder: order.browserFolder,
    user: order.users?.browser ?? null,
    onComplaint: (line) => send({ complaint: readComplaint(line) }),
  });
  // For the next worker, which then needs 25 MB less: it has no types to remove. This one will not exit but be killed, and the cache
  // is the service's.
  flushCompileCache();
  // The browser has been started as its own user, which only root can do; nothing that it says is read before this.
  if (order.users) become(order.users.worker);
  browser = await launching;
  browser.gone.addEventListener('abort', () => exit(`the browser is gone: ${browser?.gone.reason}`));
  const started: Started = { version: browser.version };
  if (order.isTested) {
    started.wall = await testWall(browser);
    started.drawing = await tryDrawing(browser);
  }
  decoder = createDecoder(browser, () =>
    send({ worn: 'a page that decodes pictures was not discarded in time' }),
  );
  pages = createPages(browser, order.warmPages);
  await pages.stock();
  if (browser.kind !== 'full') await closeFirstPage(browser);
  send({ started });
}

/** The page that the browser opens by itself is never used, and its process takes 16 MB. A full Chromium would exit without it. */
async function closeFirstPage({ connection: { root } }: ChromiumProcess): Promise<void> {
  const { targetInfos } = await root.send('Target.getTargets', {});
  const first = targetInfos.find(({ type, attached }) => type === 'page' && !attached);
  if (first) await root.send('Target.closeTarget', { targetId: first.targetId });
}

function refuse(error: Error): void {
  send({
    refused: { message: error.message, detail: error instanceof ChromiumStartError ? error.detail : '' },
  });
  exit(error.message);
}

async function render(id: string, task: Task | PictureTask, leftMs: number): Promise<void> {
  const caller = new AbortController();
  const discards: Promise<boolean>[] = [];
  const discard = (page: Page): unknown => discards.push(pages!.discard(page));
  running.set(id, caller);
  try {
    const options = { leftMs, signal: caller.signal };
    const made =
      'original' in task
        ? await makePicture(task, options)
        : await renderTask(id, task, { ...options, discard });
    send({ render: id, receipt: readReceipt(await store(id, made)) });
  } catch (error) {
    send({ render: id, ...toFailed(error as Error) });
  }
  running.delete(id);
  const isClean = (await Promise.all(discards)).every(Boolean);
  if (isClean) send({ render: id, discarded: true });
  else send({ worn: 'a page was not discarded in time' });
  await pages?.stock();
}

async function renderTask(
  id: string,
  task: Task,
  options: Pick<RenderOptions, 'leftMs' | 'signal' | 'discard'>,
): Promise<Made> {
  const rules = await rulesOf(task);
  return renderPage(pages!, task, {
    ...options,
    prepare: (page) => page.door.use(rules),
    begin: (phase) => send({ render: id, phase }),
  });
}

async function makePicture(
  task: PictureTask,
  options: { leftMs: number; signal: AbortSignal },
): Promise<Made> {
  const made = await decoder!.make(task, options);
  const page = { finalUrl: null, status: null, title: '', width: null, height: null, warnings: [] };
  return { outputs: [{ ...made, pages: null, cut: null }], page };
}

/** What is not a failure of the render, such as a full disk, is one of the service. */
function toFailed(error: Error): { failed: Failed } | { declined: DeclineReason } | { broke: string } {
  if (error instanceof PictureDeclined) return { declined: error.reason };
  if (!(error instanceof RenderFailure)) return { broke: error.message };
  const { reason, message, field, warnings, browserLost } = error;
  const cause = inspect(error.cause);
  return { failed: readFailed({ reason, message, field, warnings, browserLost, cause }) };
}

async function store(id: string, { outputs, page }: Made): Promise<Receipt> {
  const stored: Receipt['outputs'] = [];
  for (const [index, { bytes, cut, ...facts }] of outputs.entries()) {
    await writeFile(fileOf(id, index), bytes, { flag: 'wx', mode: 0o600 });
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    stored.push({ ...facts, truncated: cut !== null, sizeBytes: bytes.length, sha256 });
  }
  return { outputs: stored, page };
}

async function check(number: number): Promise<void> {
  await browser?.connection.root.send('Browser.getVersion', undefined);
  send({ pong: number });
}

/**
 * A page is discarded at once, but the processes that all pages share go on with what it has sent them: the next account's page would wait
 * half a minute to be loaded or drawn. There is no answer while they do.
 */
async function rest(number: number): Promise<void> {
  await decoder!.forget();
  const page = await pages!.take(never);
  await Promise.all([
    browser!.connection.root.send('Storage.getCookies', {}),
    page.session.send('Page.captureScreenshot', { format: 'jpeg', quality: 1, clip: onePixel }),
  ]);
  send({ pong: number });
  await pages!.discard(page);
  await pages!.stock();
}

async function tryDrawing(process: ChromiumProcess): Promise<DrawingTest> {
  const door = await openEgressDoor();
  const phase = createPhase(process.gone, startStepMs, () => new Error('the drawing test took too long'));
  try {
    const page = await openPage({ process, door, viewport: drawingTestViewport }, phase.signal);
    const result = await testDrawing(page, phase.signal);
    await page.dispose(phase.signal);
    return result;
  } finally {
    phase.end();
    await door.close();
  }
}

/** The service kills what is left of the process group. */
function exit(reason: unknown): never {
  process.stderr.write(`${String(reason)}\n`);
  process.exit(1);
}

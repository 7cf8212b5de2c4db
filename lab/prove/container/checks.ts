// Checks of a running container: how it is confined, whether its dashboard opens, and whether it works.
import { readFileSync } from 'node:fs';
import type { Container } from '#lab/prove/container/run.ts';
import type { Finding } from '#lab/prove/proof.ts';
import { askForRender, seconds } from '#lab/prove/renderer.ts';
import { launchTestChromium } from '#test/support/chromium.ts';
import { png } from '#test/support/images.ts';
import { readPdf } from '#test/support/pdf.ts';
import { colourOf } from '#test/support/pixels.ts';
import { browsers, descendants, groupMembers, namespaceOf, statusOf } from '#test/support/process-table.ts';
import { uploadOne } from '#test/support/uploading.ts';

export function confinement({ pid, readyAfterMs }: Container): Finding {
  // The container's first process is tini; the service is its child.
  const service = descendants(pid)[0]?.pid ?? pid;
  const status = statusOf(service);
  const field = (name: string): string => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1] ?? '?';
  const mounts = readFileSync(`/proc/${service}/mounts`, 'latin1').split('\n');
  const isReadOnly = mounts.some((line) => /^\S+ \/ \S+ ro,/.test(line));
  return {
    what: 'it is ready as an unprivileged user, on a read-only root, with no capability and filtered system calls',
    seen: `after ${seconds(readyAfterMs)}; user ${field('Uid')}, capabilities ${field('CapBnd')}, no new privileges ${field('NoNewPrivs')}, seccomp ${field('Seccomp')}, root ${isReadOnly ? 'read-only' : 'WRITABLE'}`,
    holds:
      field('Uid') === '10001' &&
      /^0+$/.test(field('CapBnd')) &&
      field('NoNewPrivs') === '1' &&
      field('Seccomp') === '2' &&
      isReadOnly,
  };
}

/** The browser's own sandbox during a render: what the service reports, and what the kernel reports. */
export function sandboxOf({ pid, output }: Container): Finding {
  const said = output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .find(({ msg }) => msg === 'the browser is ready');
  const processes = browsers(pid).flatMap(({ group }) => groupMembers(group));
  const renderers = processes.filter(({ command }) => command.includes('--type=renderer'));
  const apart = (kind: string): number =>
    renderers.filter((row) => namespaceOf(row.pid, kind) !== namespaceOf(pid, kind)).length;
  const namespaces = ['user', 'pid', 'net'].map((kind) => ({ kind, count: apart(kind) }));
  return {
    what: 'page processes run in the sandbox of the browser, inside the container',
    seen: `the service says: sandboxed ${String(said?.['sandboxed'])}, ${String(said?.['version'])}; of ${renderers.length} page processes ${namespaces.map(({ kind, count }) => `${count} in a ${kind} namespace of their own`).join(', ')}`,
    holds:
      said?.['sandboxed'] === true &&
      renderers.length > 0 &&
      namespaces.every(({ count }) => count === renderers.length),
  };
}

/** By the link that the first start leaves for the owner, in a real browser. */
export async function openDashboard({ origin }: Container, welcome: string): Promise<Finding> {
  const link = /Your dashboard (\S+)/.exec(welcome)?.[1] ?? '';
  const chromium = await launchTestChromium();
  try {
    const page = await chromium.browser.newPage();
    const answers: { path: string; status: number }[] = [];
    const errors: string[] = [];
    page.on('response', (response) =>
      answers.push({ path: new URL(response.url()).pathname, status: response.status() }),
    );
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(link);
    await page.getByLabel('Password').fill('a password of the proof');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    const assets = answers.filter(({ path }) => path.startsWith('/dashboard/assets/'));
    // The only way to know whether somebody is signed in is to ask; 401 means that nobody is yet.
    const failed = answers.filter(({ path, status }) => status >= 400 && path !== '/api/dashboard/session');
    const document = await fetch(`${origin}/dashboard/`);
    return {
      what: 'the dashboard opens in a real browser by the link that the first start leaves',
      seen: `status ${document.status}, title "${await page.title()}", signed in, ${assets.length} assets, ${failed.length} failed requests, ${errors.length} script errors`,
      holds: document.status === 200 && assets.length > 1 && failed.length === 0 && errors.length === 0,
    };
  } finally {
    await chromium.close();
  }
}

export async function upload({ origin }: Container, key: string): Promise<Finding> {
  const bytes = await png();
  const { fileAt, size_bytes: sizeBytes } = await uploadOne(origin, key, { bytes });
  const file = await fetch(fileAt);
  const isSame = bytes.equals(Buffer.from(await file.arrayBuffer()));
  return {
    what: 'an upload is stored and served',
    seen: `201, ${sizeBytes} bytes; its file URL answers ${file.status} with ${isSame ? 'the same' : 'OTHER'} bytes`,
    holds: file.status === 200 && isSame,
  };
}

export async function render({ origin }: Container, key: string, url: string): Promise<Finding[]> {
  const shot = await askForRender(`${origin}/api/v1/screenshot`, key, { url });
  const colour = shot.status === 200 ? await colourOf(shot.bytes, 700, 600) : shot.message;
  const pdf = await askForRender(`${origin}/api/v1/pdf`, key, { url, wait_until: 'load' });
  const pages = pdf.status === 200 ? readPdf(pdf.bytes).length : 0;
  return [
    {
      what: 'a page is captured',
      seen: `${shot.status} ${shot.code}, ${shot.bytes.length} bytes, the page's colour is ${colour}, ${seconds(shot.ms)}`,
      holds: shot.status === 200 && colour === 'green',
    },
    {
      what: 'a page is printed',
      seen: `${pdf.status} ${pdf.code}, ${pages} page, ${seconds(pdf.ms)}`,
      holds: pdf.status === 200 && pages === 1,
    },
  ];
}

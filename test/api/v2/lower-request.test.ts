// What requests of version 2 become: the job that the worker gets, and what is kept of the request. Spec 10.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noAccess, noChanges, plainPdf, plainPicture, plainView } from '#browser/job.ts';
import { limits } from '#core/limits.ts';
import { checkSelector } from '#api/v2/check-selector.ts';
import { lowerRequest } from '#api/v2/lower-request.ts';
import { RenderRequest } from '#api/v2/schemas.ts';
import { paperInches } from '#renders/paper.ts';
import { validateGiven } from '#http/body/validate.ts';
import { devicesPath, devicesText } from '#scripts/devices.ts';
import { readFileSync } from 'node:fs';

const url = 'https://www.example.com/';
const lower = (body: object, blockedHostsFile: string | null = null) =>
  lowerRequest(validateGiven(RenderRequest, body), [], { blockedHostsFile });

test('a URL alone is what version 1 makes of it', () => {
  const { job, ...rest } = lower({ url });
  assert.deepEqual(job, {
    source: { kind: 'url', url },
    view: { ...plainView, width: limits.viewportWidth.default, height: limits.viewportHeight.default },
    access: noAccess,
    changes: noChanges,
    waits: {
      until: 'settled',
      settles: true,
      for: [],
      delayMs: 0,
      failOn: [],
      navigationMs: limits.navigationMs,
    },
    outputs: [plainPicture],
    timeoutMs: limits.screenshotTotalMs,
  });
  assert.deepEqual(rest, {
    version: 2,
    listed: [],
    options: {},
    puts: [],
    reference: null,
    isHosted: false,
    expiresInSeconds: undefined,
  });
});

test('a PDF has 75 s; a longer time is for the load', () => {
  const times = (fields: object) => {
    const { timeoutMs, waits } = lower({ url, ...fields }).job;
    return [timeoutMs, waits.navigationMs];
  };
  assert.deepEqual(times({ format: 'pdf' }), [75_000, 25_000]);
  assert.deepEqual(times({ outputs: [{}, { format: 'pdf' }], response: 'json' }), [75_000, 25_000]);
  assert.deepEqual(times({ timeout_ms: 90_000 }), [90_000, 55_000]);
  assert.deepEqual(times({ timeout_ms: 5_000 }), [5_000, 5_000]);
});

test('a device gives its view, and fields of the request win', () => {
  const phone = lower({ url, device: 'iPhone 15' }).job.view;
  assert.deepEqual([phone.width, phone.pixelRatio, phone.mobile, phone.touch], [393, 3, true, true]);
  assert.match(phone.userAgent ?? '', /iPhone/);
  const { view } = lower({
    url,
    device: 'iPhone 15',
    viewport: { width: 500, mobile: false },
    user_agent: 'mine',
  }).job;
  assert.deepEqual(
    [view.width, view.height, view.pixelRatio, view.mobile, view.touch, view.userAgent],
    [500, phone.height, 3, false, false, 'mine'],
  );
});

test('the table of devices is up to date (npm run document)', () => {
  assert.equal(readFileSync(devicesPath, 'utf8'), devicesText());
});

test('view, changes and waits', () => {
  const { view, changes, waits } = lower(
    {
      url,
      color_scheme: 'dark',
      media: 'print',
      reduced_motion: true,
      contrast: 'more',
      forced_colors: true,
      locale: 'DE-ch',
      timezone: 'europe/zurich',
      geolocation: { latitude: 47, longitude: 8 },
      clock: '2026-01-31T09:00:00+01:00',
      javascript: false,
      css: 'a{}',
      hide: ['.ad'],
      block: ['fonts', 'ads', 'cookie_banners', 'images', 'fonts'],
      block_hosts: ['Ads.Example.com', '*.track.example.'],
      wait_until: 'networkidle0',
      wait_for: ['h1', { selector: '.x', state: 'gone' }, { expression: 'window.done' }],
      delay_ms: 5,
      fail_on: ['http_error'],
    },
    '/etc/ads',
  ).job;
  assert.deepEqual(view, {
    ...view,
    colorScheme: 'dark',
    media: 'print',
    reducedMotion: true,
    contrast: 'more',
    forcedColors: true,
    locale: 'de-CH',
    timezone: 'Europe/Zurich',
    geolocation: { latitude: 47, longitude: 8, accuracy: 10 },
    clock: Date.UTC(2026, 0, 31, 8),
  });
  assert.deepEqual(changes, {
    javascript: false,
    css: 'a{}',
    script: null,
    hide: ['.ad'],
    blockKinds: ['images', 'fonts'],
    blockHosts: ['ads.example.com', 'track.example'],
    blockedHostsFile: '/etc/ads',
    declineCookieBanners: true,
    network: 'all',
  });
  assert.deepEqual(
    { ...waits },
    {
      until: 'networkidle0',
      settles: true,
      for: [
        { selector: 'h1', state: 'visible' },
        { selector: '.x', state: 'gone' },
        { expression: 'window.done' },
      ],
      delayMs: 5,
      failOn: [{ on: 'http_error', statuses: null, exceptHosts: [] }],
      navigationMs: 25_000,
    },
  );
  const wanted = [
    'http_error',
    { on: 'request_failed', statuses: [404, '5xx'], except_hosts: ['.CDN.example.'] },
  ];
  assert.deepEqual(lower({ url, fail_on: wanted }).job.waits.failOn, [
    { on: 'http_error', statuses: null, exceptHosts: [] },
    { on: 'request_failed', statuses: [404, '5xx'], exceptHosts: ['cdn.example'] },
  ]);
  assert.deepEqual(lower({ url, wait_for: { selector: 'p' } }).job.waits.for, [
    { selector: 'p', state: 'visible' },
  ]);
});

test('outputs', () => {
  const [picture, pdf, text] = lower({
    url,
    response: 'json',
    outputs: [
      { format: 'webp', clip: { x: 1, y: 2, width: 3.5, height: 4 }, resize: { width: 100 }, quality: 9 },
      {
        format: 'pdf',
        paper: { width: '10cm', height: 960 },
        page_ranges: ' 1-3, 5',
        margin: { top: '1in' },
      },
      { format: 'text', selector: 'main', main_content: true },
    ],
  }).job.outputs;
  assert.deepEqual(picture, {
    ...plainPicture,
    format: 'webp',
    clip: { x: 1, y: 2, width: 3.5, height: 4 },
    quality: 9,
    resize: { width: 100, height: null, fit: 'inside' },
  });
  assert.deepEqual(pdf, {
    ...plainPdf,
    paper: { width: 10 / 2.54, height: 10 },
    marginInches: { top: 1, right: 0, bottom: 0, left: 0 },
    pageRanges: '1-3,5',
  });
  assert.deepEqual(text, { format: 'text', selector: 'main', mainContent: true });
});

test('printed documents', () => {
  const [pdf, picture] = lower({
    url,
    response: 'json',
    outputs: [
      {
        format: 'pdf',
        header: '<p>{{page}}',
        footer: { default: 'f', first: '' },
        page_numbers: true,
        document: { title: 'T', keywords: ['a', 'b'], language: 'de-ch' },
        password: 'p',
        owner_password: 'o',
        permissions: ['copy', 'print', 'copy'],
      },
      { format: 'jpeg', page: 3, paper_format: 'a5', footer: { last: 'l' }, margin: { bottom: '1in' } },
    ],
  }).job.outputs;
  assert.deepEqual(pdf, {
    ...plainPdf,
    paper: paperInches.letter,
    header: { usual: '<p>{{page}}', first: null, last: null },
    footer: { usual: 'f', first: '', last: null },
    pageNumbers: true,
    documentInfo: { title: 'T', keywords: 'a, b', language: 'de-CH' },
    password: 'p',
    ownerPassword: 'o',
    permissions: ['print', 'copy'],
  });
  assert.deepEqual(picture, {
    ...plainPicture,
    format: 'jpeg',
    printed: {
      ...plainPdf,
      paper: paperInches.a5,
      marginInches: { top: 0, right: 0, bottom: 1, left: 0 },
      pageRanges: '3',
      footer: { usual: '', first: null, last: 'l' },
    },
  });
  assert.equal(lower({ url, page: 1 }).job.timeoutMs, limits.pdfTotalMs);
});

test('cookies: the page itself, names above and below it, and the names that need more', () => {
  const domains = ['www.example.com', '.example.com', 'EXAMPLE.com', 'a.www.example.com'];
  const { cookies } = lower({
    url,
    cookies: [
      { name: 'a', value: '' },
      ...domains.map((domain) => ({ name: 'a', value: 'b', domain })),
      { name: '__Host-a', value: 'b', secure: true },
      { name: 'c', value: 'd', secure: true, same_site: 'none', http_only: true, path: '/x' },
    ],
  }).job.access;
  assert.deepEqual(
    cookies.map(({ domain }) => domain),
    [null, 'www.example.com', 'example.com', 'example.com', 'a.www.example.com', null, null],
  );
  assert.deepEqual(cookies.at(-1), {
    name: 'c',
    value: 'd',
    domain: null,
    path: '/x',
    secure: true,
    httpOnly: true,
    sameSite: 'none',
  });
});

test('what is kept of a request has no secrets and no documents', () => {
  const { options } = lower({
    html: 'secret',
    base_url: url,
    css: 'secret',
    script: 'secret',
    headers: { authorization: 'secret' },
    cookies: [{ name: 'a', value: 'secret' }],
    basic_auth: { username: 'secret', password: 'secret' },
    format: 'jpeg',
    viewport: { width: 800 },
    reference: 'order 7',
  });
  assert.deepEqual(options, { viewport: { width: 800 }, format: 'jpeg' });

  const put_url = 'https://bucket.example/a?signature=secret';
  const secrets = {
    header: 'secret',
    footer: { first: 'secret' },
    password: 'secret',
    owner_password: 'other secret',
    put_url,
  };
  const pdf = { format: 'pdf', tagged: true };
  assert.deepEqual(lower({ url, ...pdf, ...secrets }).options, pdf);
  const several = { url, response: 'json', outputs: [{ ...pdf, ...secrets }, {}] };
  assert.deepEqual(lower(several).options, { outputs: [pdf, {}] });
});

test('where outputs are sent is no part of the job', () => {
  const put_url = 'https://bucket.example/a';
  const one = lower({ url, put_url });
  assert.deepEqual(one.job, lower({ url }).job);
  assert.deepEqual(one.puts, [{ place: 0, field: 'put_url', url: put_url }]);
  const several = lower({ url, outputs: [{}, { format: 'text', put_url }], response: 'json' });
  assert.deepEqual(several.puts, [{ place: 1, field: 'outputs[1].put_url', url: put_url }]);
});

test('selectors that browsers take are taken', () => {
  const good = [
    'a',
    '*',
    'main > .price:not(.old)',
    '[data-x="}{;"]',
    "a[href='x' i]",
    'a[href$=".pdf"]',
    ':is(h1, h2) + p ~ ul',
    'li:nth-child(2n + 1 of .x)',
    '#\\31 23',
    '.a\\:b',
    'svg|a',
    '/* > */ p {',
    'über',
    '.w-1\\/2',
    '&',
    '::slotted(p)',
    'a\\>',
  ];
  for (const selector of good) checkSelector(selector, 'selector');
  const bad = ['> p', 'p >', 'p,', '#1a', 'p {', '//h1', 'a[b', "a[b='c]", 'p)', 'text=x', 'a;b', ' '];
  for (const selector of bad) assert.throws(() => checkSelector(selector, 'selector'), /not a CSS/, selector);
});

// Every field of a version 2 render and every contradiction between fields: what is refused, and the field that the error names. The
// last test fails for a field without a row. Spec 10.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ServiceError } from '#core/errors.ts';
import { envelope } from '#http/error-reply.ts';
import { lowerRequest } from '#api/v2/lower-request.ts';
import { OutputOptions, RenderRequest } from '#api/v2/schemas.ts';
import { NewAlbum, NewUploadLink } from '#api/v2/album-schemas.ts';
import { UploadFromUrl } from '#api/v2/upload-schemas.ts';
import { validateGiven } from '#http/body/validate.ts';

const url = 'https://example.com/';
const logo = { name: 'logo.png', contentType: 'image/png', path: '/nowhere', sizeBytes: 1 };

const lower = (body: unknown, files = [] as (typeof logo)[]) =>
  lowerRequest(validateGiven(RenderRequest, body), files, { blockedHostsFile: null });

function refusal(body: unknown, files?: (typeof logo)[]): ServiceError {
  try {
    lower(body, files);
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    return error;
  }
  return assert.fail(`accepted: ${JSON.stringify(body).slice(0, 200)}`);
}

type Row = [field: string, body: object, message: RegExp];
/** Without a source of its own, a row has `url`. */
const withUrl = (fields: object): object => ({ url, ...fields });
const cookie = (fields: object) => withUrl({ cookies: [{ name: 'a', value: 'b', ...fields }] });
const header = (name: string, value = 'x') => withUrl({ headers: { [name]: value } });

const rows: Row[] = [
  // The source.
  ['url', {}, /missing; send exactly one of url, html and markdown/],
  ['url', { url: 5 }, /must be an absolute URI, as a string, not 5/],
  ['html', { url, html: '<p>' }, /cannot be combined with url/],
  ['markdown', { html: '<p>', markdown: 'x' }, /cannot be combined with html/],
  ['html', { html: '' }, /must be a string of 1 to 2097152 bytes/],
  ['html', { html: 'ä'.repeat(1_048_577) }, /must be 1 to 2097152 bytes of UTF-8, not 2097154/],
  // Documents and scripts are not quoted: the message is kept in the request log.
  ['html', { html: ['secret'] }, /must be a string of 1 to 2097152 bytes$/],
  ['script', withUrl({ script: ['secret'] }), /must be a string of 1 to 102400 bytes$/],
  ['markdown', { markdown: 'x'.repeat(1_048_577) }, /must be 1 to 1048576 bytes/],
  ['base_url', { url, base_url: url }, /leave it out with url/],
  ['base_url', { html: '<p>', base_url: 1 }, /absolute URI/],
  ['heigth', withUrl({ heigth: 1 }), /unknown field/],
  ['width', withUrl({ width: 1280 }), /did you mean "viewport.width"\?/],
  ['full_pag', withUrl({ full_pag: true }), /did you mean "full_page"\?/],

  // The view.
  ['viewport', withUrl({ viewport: [] }), /must be a JSON object, not \[\]/],
  ['viewport.width', withUrl({ viewport: { width: 319 } }), /an integer from 320 to 3840, not 319/],
  ['viewport.height', withUrl({ viewport: { height: 2161 } }), /from 320 to 2160/],
  ['viewport.pixel_ratio', withUrl({ viewport: { pixel_ratio: 3.1 } }), /a number from 1 to 3/],
  ['viewport.mobile', withUrl({ viewport: { mobile: 'yes' } }), /true or false/],
  ['viewport.mobil', withUrl({ viewport: { mobil: true } }), /did you mean "viewport.mobile"\?/],
  ['device', withUrl({ device: 'iphone 15' }), /did you mean "iPhone 15"\?/],
  ['device', withUrl({ device: 'toaster' }), /a name of the list in the OpenAPI document, not "toaster"$/],
  ['device', withUrl({ device: 'constructor' }), /a name of the list/],
  ['color_scheme', withUrl({ color_scheme: 'sepia' }), /one of light, dark/],
  ['media', withUrl({ media: 'tv' }), /one of screen, print/],
  ['reduced_motion', withUrl({ reduced_motion: 1 }), /true or false/],
  ['contrast', withUrl({ contrast: 'high' }), /one of no_preference, more, less, not "high"/],
  ['forced_colors', withUrl({ forced_colors: 'active' }), /true or false/],
  ['locale', withUrl({ locale: 'not a locale' }), /must be a language tag such as de-CH/],
  ['timezone', withUrl({ timezone: 'Mars/Olympus' }), /such as Europe\/Zurich/],
  ['timezone', withUrl({ timezone: '+01:00' }), /such as Europe\/Zurich/],
  ['geolocation.longitude', withUrl({ geolocation: { latitude: 1 } }), /missing/],
  ['geolocation.latitude', withUrl({ geolocation: { latitude: 90.1, longitude: 0 } }), /from -90 to 90/],
  ['geolocation.longitude', withUrl({ geolocation: { latitude: 0, longitude: 181 } }), /from -180 to 180/],
  [
    'geolocation.accuracy',
    withUrl({ geolocation: { latitude: 0, longitude: 0, accuracy: -1 } }),
    /from 0 to 100000/,
  ],
  ['user_agent', withUrl({ user_agent: 'x'.repeat(501) }), /1 to 500 characters/],
  ['user_agent', withUrl({ user_agent: 'a\r\nb: c' }), /printable ASCII/],
  ['clock', withUrl({ clock: 'noon' }), /a date and time such as 2026-01-31T09:00:00Z, not "noon"/],
  ['clock', withUrl({ clock: '2026-02-31T09:00:00Z' }), /a date and time/],
  ['clock', withUrl({ clock: 1_767_225_600 }), /a date and time such as/],
  ['clock', withUrl({ clock: '1969-07-20T20:17:00Z' }), /from 1971 to 9998/],

  // The outputs.
  ['format', withUrl({ format: 'avif' }), /one of png, jpeg, webp, pdf, html/],
  ['format', withUrl({ format: 'jpg' }), /not "jpg"; did you mean "jpeg"\?$/],
  ['paper_format', withUrl({ format: 'pdf', paper_format: 'A4' }), /not "A4"; did you mean "a4"\?$/],
  ['outputs', withUrl({ outputs: [] }), /an array of 1 to 5 items, not 0/],
  ['outputs', withUrl({ outputs: Array.from({ length: 6 }, () => ({})), response: 'json' }), /not 6/],
  ['outputs', withUrl({ outputs: [{}], format: 'png' }), /cannot be combined with format; move it/],
  ['outputs[1].quality', withUrl({ outputs: [{}, { quality: 101 }] }), /from 1 to 100/],
  ['outputs[1].quality', withUrl({ outputs: [{}, { quality: 50 }], response: 'json' }), /does not fit png/],
  ['outputs[0]', withUrl({ outputs: ['png'] }), /must be a JSON object, not "png"/],
  ['outputs[0].fromat', withUrl({ outputs: [{ fromat: 'png' }] }), /did you mean "outputs\[0\].format"\?/],
  ['response', withUrl({ outputs: [{}, {}] }), /must be json for several outputs/],
  ['put_url', withUrl({ put_url: ['secret'] }), /must be an absolute URI, as a string$/],
  [
    'outputs[1].put_url',
    withUrl({ outputs: [{}, { put_url: { secret: 1 } }] }),
    /must be an absolute URI, as a string$/,
  ],
  ['outputs', withUrl({ outputs: [{}], put_url: url }), /cannot be combined with put_url; move it/],
  ['full_page', withUrl({ full_page: 'yes' }), /true or false/],
  ['full_page', withUrl({ full_page: true, format: 'text' }), /does not fit text, only png, jpeg, webp/],
  ['selector', withUrl({ selector: '' }), /1 to 500 characters/],
  ['selector', withUrl({ selector: 'a'.repeat(501) }), /1 to 500 characters/],
  ['selector', withUrl({ selector: 'main > > (' }), /not a CSS selector \(\) is missing\)/],
  ['selector', withUrl({ selector: 'h1', full_page: true }), /cannot be combined with full_page/],
  ['selector', withUrl({ selector: 'h1', format: 'pdf' }), /does not fit pdf/],
  ['selector', withUrl({ selector: 'h1', format: 'mhtml' }), /does not fit mhtml/],
  ['selector', withUrl({ selector: 'h1', format: 'accessibility' }), /does not fit accessibility/],
  ['clip.height', withUrl({ clip: { x: 0, y: 0, width: 10 } }), /missing/],
  ['clip.x', withUrl({ clip: { x: -1, y: 0, width: 10, height: 10 } }), /from 0 to 100000/],
  ['clip.y', withUrl({ clip: { x: 0, y: -1, width: 10, height: 10 } }), /from 0 to 100000/],
  ['clip.width', withUrl({ clip: { x: 0, y: 0, width: 0, height: 10 } }), /from 1 to 65535/],
  ['clip.height', withUrl({ clip: { x: 0, y: 0, width: 1, height: 0 } }), /from 1 to 65535/],
  ['clip', withUrl({ clip: { x: 0, y: 0, width: 9, height: 9 }, selector: 'h1' }), /cannot be combined with/],
  ['clip', withUrl({ clip: { x: 0, y: 0, width: 9, height: 9 }, format: 'html' }), /does not fit html/],
  ['omit_background', withUrl({ omit_background: 1 }), /true or false/],
  [
    'omit_background',
    withUrl({ omit_background: true, format: 'jpeg' }),
    /does not fit jpeg, only png, webp, pdf/,
  ],
  ['quality', withUrl({ quality: 0, format: 'jpeg' }), /an integer from 1 to 100/],
  ['quality', withUrl({ quality: 80 }), /does not fit png, only jpeg, webp/],
  ['resize', withUrl({ resize: {} }), /send width, height or both/],
  ['resize.width', withUrl({ resize: { width: 15 } }), /from 16 to 3840/],
  ['resize.height', withUrl({ resize: { height: 3841 } }), /from 16 to 3840/],
  ['resize.fit', withUrl({ resize: { width: 100, fit: 'fill' } }), /one of inside, cover/],
  ['resize.fit', withUrl({ resize: { width: 100, fit: 'cover' } }), /needs width and height/],
  ['resize', withUrl({ resize: { width: 100 }, format: 'pdf' }), /does not fit pdf/],
  ['compare_to', withUrl({ compare_to: 5 }), /a string of 1 to 64 characters, not 5/],
  ['compare_to', withUrl({ compare_to: 'x', format: 'text' }), /does not fit text/],
  [
    'paper_format',
    withUrl({ format: 'pdf', paper_format: 'b5' }),
    /one of letter, a4, legal, a3, a5, tabloid/,
  ],
  ['paper_format', withUrl({ paper_format: 'a4' }), /does not fit png, only pdf, or .* add page/],
  ['paper_format', withUrl({ format: 'text', paper_format: 'a4' }), /does not fit text, only pdf; leave/],
  ['paper', withUrl({ format: 'pdf', paper: { width: 96, height: 96 }, paper_format: 'a4' }), /paper_format/],
  ['paper.height', withUrl({ format: 'pdf', paper: { width: '10cm' } }), /missing/],
  ['paper.width', withUrl({ format: 'pdf', paper: { width: '10pt', height: 96 } }), /px, in, cm or mm/],
  ['paper.width', withUrl({ format: 'pdf', paper: { width: '0', height: 96 } }), /10 to 19200 CSS pixels/],
  ['paper.height', withUrl({ format: 'pdf', paper: { width: 96, height: '201in' } }), /200in/],
  ['landscape', withUrl({ format: 'pdf', landscape: 'no' }), /true or false/],
  ['landscape', withUrl({ landscape: true }), /does not fit png/],
  ['print_background', withUrl({ format: 'pdf', print_background: 0 }), /true or false/],
  ['prefer_css_page_size', withUrl({ format: 'pdf', prefer_css_page_size: 0 }), /true or false/],
  ['scale', withUrl({ format: 'pdf', scale: 2.1 }), /from 0.1 to 2/],
  ['margin.top', withUrl({ format: 'pdf', margin: { top: '1pt' } }), /px, in, cm or mm/],
  ['margin', withUrl({ format: 'pdf', margin: { left: '5in', right: '4in' } }), /leave no room on letter/],
  [
    'margin',
    withUrl({ format: 'pdf', paper: { width: 96, height: 96 }, margin: { top: 48, bottom: 48 } }),
    /leave no room on this paper/,
  ],
  ['page_ranges', withUrl({ format: 'pdf', page_ranges: 'x'.repeat(101) }), /1 to 100 characters/],
  ...['0', '3-1', '1-', '-2', 'a', '1,,2', '1;2'].map((ranges): Row => [
    'page_ranges',
    withUrl({ format: 'pdf', page_ranges: ranges }),
    /page numbers and ranges such as 1-3,5/,
  ]),
  ['page_ranges', withUrl({ page_ranges: '1' }), /does not fit png/],
  ['page_ranges', withUrl({ format: 'pdf', single_page: true, page_ranges: '1' }), /single_page/],
  ['single_page', withUrl({ format: 'pdf', single_page: 'x' }), /true or false/],
  ['outline', withUrl({ format: 'pdf', outline: 'x' }), /true or false/],
  ['tagged', withUrl({ format: 'pdf', tagged: 'x' }), /true or false/],
  ['header', withUrl({ header: 'secret' }), /does not fit png, only pdf, or .* add page/],
  [
    'header',
    withUrl({ format: 'pdf', header: 5 }),
    /must be HTML .* or an object with default, first and last/,
  ],
  [
    'header',
    withUrl({ format: 'pdf', header: 'secret'.repeat(10_923) }),
    /0 to 65536 bytes of UTF-8, not 65538/,
  ],
  [
    'header.first',
    withUrl({ format: 'pdf', header: { first: ['secret'] } }),
    /a string of 0 to 65536 bytes$/,
  ],
  ['header.firts', withUrl({ format: 'pdf', header: { firts: '' } }), /did you mean "header.first"\?/],
  ['footer', withUrl({ format: 'text', footer: '' }), /does not fit text, only pdf/],
  ['footer.last', withUrl({ format: 'pdf', footer: { last: 'ä'.repeat(32_769) } }), /not 65538; shorten it/],
  ['page_numbers', withUrl({ format: 'pdf', page_numbers: 1 }), /true or false/],
  ['document', withUrl({ document: {} }), /does not fit png, only pdf; leave it out/],
  ['document', withUrl({ page: 1, document: {} }), /does not fit png, only pdf; leave it out/],
  ['document.title', withUrl({ format: 'pdf', document: { title: '' } }), /1 to 500 characters/],
  ['document.author', withUrl({ format: 'pdf', document: { author: 5 } }), /1 to 500 characters/],
  ['document.subject', withUrl({ format: 'pdf', document: { subject: 'a\0b' } }), /U\+0000/],
  ['document.keywords', withUrl({ format: 'pdf', document: { keywords: 5 } }), /a text of 1 to 500 .* array/],
  [
    'document.keywords[1]',
    withUrl({ format: 'pdf', document: { keywords: ['a', ''] } }),
    /1 to 100 characters/,
  ],
  ['document.language', withUrl({ format: 'pdf', document: { language: 'no tag' } }), /such as de-CH/],
  ['password', withUrl({ format: 'pdf', password: '' }), /a string of 1 to 127 bytes$/],
  ['password', withUrl({ format: 'pdf', password: ['secret'] }), /a string of 1 to 127 bytes$/],
  ['password', withUrl({ format: 'pdf', password: 'secret'.repeat(22) }), /1 to 127 bytes of UTF-8, not 132/],
  ['password', withUrl({ page: 1, password: 'secret' }), /does not fit png, only pdf/],
  ['owner_password', withUrl({ format: 'pdf', owner_password: ['secret'] }), /a string of 1 to 127 bytes$/],
  ['owner_password', withUrl({ owner_password: 'secret' }), /does not fit png, only pdf/],
  [
    'owner_password',
    withUrl({ format: 'pdf', password: 'secret', owner_password: 'secret' }),
    /is the same as password, .*; send another$/,
  ],
  ['permissions', withUrl({ format: 'pdf', permissions: 'print' }), /an array of 0 to 6 items/],
  ['permissions[1]', withUrl({ format: 'pdf', permissions: ['copy', 'read'] }), /one of print, copy, modify/],
  ['permissions', withUrl({ permissions: [] }), /does not fit png, only pdf/],
  ['page', withUrl({ page: 0 }), /an integer from 1 to 100000/],
  ['page', withUrl({ page: 1, format: 'pdf' }), /does not fit pdf, only png, jpeg, webp/],
  ['page', withUrl({ page: 1, full_page: true }), /cannot be combined with full_page/],
  ['page', withUrl({ page: 1, paper: { width: '100in', height: '150in' } }), /at least 138240000 pixels/],
  ['page_ranges', withUrl({ page: 1, page_ranges: '1' }), /does not fit png/],
  ['main_content', withUrl({ format: 'text', main_content: 'x' }), /true or false/],
  ['main_content', withUrl({ main_content: true }), /does not fit png, only html, text, markdown/],
  [
    'outputs',
    withUrl({
      viewport: { width: 3840, height: 2160, pixel_ratio: 3 },
      outputs: [{}, { format: 'jpeg' }],
      response: 'json',
    }),
    /at least 149299200 pixels, more than 134000000/,
  ],
  ['clip', withUrl({ clip: { x: 0, y: 0, width: 20_000, height: 20_000 } }), /at least 400000000 pixels/],

  // Access.
  ['headers', withUrl({ headers: ['x'] }), /a JSON object of at most 20 texts$/],
  ['headers', withUrl({ headers: { a: 1 } }), /a JSON object of at most 20 texts$/],
  [
    'headers',
    withUrl({ headers: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`x-${index}`, ''])) }),
    /at most 20 texts/,
  ],
  ['headers', header('Authorization: Bearer secret'), /a name that no header can have/],
  ['headers.cookie', header('cookie'), /send cookies instead/],
  ['headers.Set-Cookie', header('Set-Cookie'), /is for answers; send cookies instead/],
  ...'Host Connection TE Upgrade Content-Length Referer Sec-Fetch-Site Proxy-Authorization'
    .split(' ')
    .map((name): Row => [`headers.${name}`, header(name), /is set by the browser; leave it out/]),
  ['headers.X-A', withUrl({ headers: { 'x-a': '1', 'X-A': '2' } }), /given twice/],
  ['headers.x-a', header('x-a', 'secret\r\nhost: b'), /line break/],
  ['headers.x-a', header('x-a', 's'.repeat(4097)), /longer than 4096 bytes/],
  ['headers', { html: '<p>', headers: { 'x-a': 'secret' } }, /send base_url too/],
  ['cookies', { markdown: 'x', cookies: [] }, /send base_url too/],
  ['basic_auth', { html: '<p>', basic_auth: { username: 'a', password: 'secret' } }, /send base_url too/],
  [
    'cookies',
    withUrl({ cookies: Array.from({ length: 51 }, () => ({ name: 'a', value: 'secret' })) }),
    /0 to 50 items/,
  ],
  ['cookies[0].value', withUrl({ cookies: [{ name: 'a' }] }), /missing/],
  ['cookies[0].name', cookie({ name: 'a b' }), /cannot have/],
  ['cookies[0].value', cookie({ value: 5 }), /must be a string$/],
  ['cookies[0].value', cookie({ value: 'secret;b' }), /semicolon/],
  ...[' secret', 'secret ', 'sec\tret'].map((value): Row => [
    'cookies[0].value',
    cookie({ value }),
    /a space at either end; encode it/,
  ]),
  ['cookies[0].path', cookie({ path: '/a\t' }), /no semicolon, control character/],
  ['cookies[0].value', cookie({ name: 'a'.repeat(100), value: 's'.repeat(4000) }), /at most 4096 bytes/],
  ['cookies[0].domain', cookie({ domain: 'evil.test' }), /within the page's site; send example.com/],
  ['cookies[0].domain', cookie({ domain: 'com' }), /within the page's site/],
  ['cookies[0].domain', cookie({ domain: 'notexample.com' }), /within the page's site/],
  ['cookies[0].domain', cookie({ domain: 'https://example.com' }), /not a host name/],
  [
    'cookies[0].domain',
    { url: 'http://192.0.2.7/', cookies: [{ name: 'a', value: 'b', domain: '2.7' }] },
    /within the page's site/,
  ],
  ['cookies[0].path', cookie({ path: 'a' }), /must begin with \//],
  ['cookies[0].secure', cookie({ secure: 'x' }), /true or false$/],
  ['cookies[0].secure', cookie({ name: '__Secure-a' }), /must be true for a name/],
  ['cookies[0].secure', cookie({ same_site: 'none' }), /with same_site none/],
  ['cookies[0].domain', cookie({ name: '__Host-a', secure: true, domain: 'example.com' }), /left out/],
  ['cookies[0].path', cookie({ name: '__Host-a', secure: true, path: '/a' }), /left out/],
  ['cookies[0].http_only', cookie({ http_only: 'x' }), /true or false$/],
  ['cookies[0].same_site', cookie({ same_site: 'Lax' }), /one of strict, lax, none$/],
  ['basic_auth.password', withUrl({ basic_auth: { username: 'a' } }), /missing/],
  ['basic_auth.password', withUrl({ basic_auth: { username: 'a', password: 5 } }), /must be a string$/],
  [
    'basic_auth.password',
    withUrl({ basic_auth: { username: 'a', password: 'secret\n' } }),
    /control character/,
  ],
  ['basic_auth.username', withUrl({ basic_auth: { username: 'a:secret', password: 'b' } }), /colon/],

  // The page.
  ['network', { html: '<p>', network: 'some' }, /one of all, none, not "some"/],
  ['network', withUrl({ network: 'none' }), /none is for html and markdown: .*; leave it out$/],
  ['javascript', withUrl({ javascript: 'off' }), /true or false/],
  ['css', withUrl({ css: 'x'.repeat(102_401) }), /1 to 102400 bytes of UTF-8, not 102401/],
  ['script', withUrl({ script: 'x'.repeat(102_401) }), /1 to 102400 bytes/],
  ['hide', withUrl({ hide: '.ad' }), /must be an array of 0 to 20 items, not ".ad"/],
  ['hide', withUrl({ hide: Array.from({ length: 21 }, () => '.ad') }), /not 21/],
  ['hide[1]', withUrl({ hide: ['.ad', '.ad {'] }), /it has \{/],
  ['block[0]', withUrl({ block: ['trackers'] }), /one of ads, cookie_banners, images, media, fonts/],
  ['block[1]', withUrl({ block: ['images', 'ads'] }), /ask the operator to set BLOCKED_HOSTS_FILE/],
  ['block_hosts', withUrl({ block_hosts: Array.from({ length: 51 }, () => 'a.example') }), /not 51/],
  ['block_hosts[0]', withUrl({ block_hosts: ['https://a.example/'] }), /a host name such as/],
  ['block_hosts[0]', withUrl({ block_hosts: ['*'] }), /a host name such as/],

  // Waiting.
  ['wait_until', withUrl({ wait_until: 'idle' }), /one of settled, load, domcontentloaded/],
  ['wait_for', withUrl({ wait_for: 5 }), /must be a selector of 1 to 500 characters, an object/],
  ['wait_for', withUrl({ wait_for: Array.from({ length: 6 }, () => 'h1') }), /at most 5 of these, not 6/],
  ['wait_for', withUrl({ wait_for: 'text=Login' }), /it has =/],
  [
    'wait_for.state',
    withUrl({ wait_for: { selector: 'h1', state: 'here' } }),
    /one of visible, attached, gone/,
  ],
  ['wait_for.selector', withUrl({ wait_for: { state: 'gone' } }), /missing/],
  ['wait_for[1].expression', withUrl({ wait_for: ['h1', { expression: '' }] }), /1 to 10000 characters/],
  ['wait_for[0]', withUrl({ wait_for: [[]] }), /a selector of 1 to 500 characters/],
  ['wait_for[0].selector', withUrl({ wait_for: [{ selector: '>' }] }), /it begins with >/],
  ['wait_for.expression', withUrl({ wait_for: { selector: 'h1', expression: '1' } }), /unknown field/],
  ['delay_ms', withUrl({ delay_ms: 10_001 }), /from 0 to 10000/],
  ['timeout_ms', withUrl({ timeout_ms: 999 }), /from 1000 to 90000/],
  ['timeout_ms', withUrl({ timeout_ms: 90_001 }), /from 1000 to 90000/],
  ['fail_on', withUrl({ fail_on: 'http_error' }), /must be an array of 0 to 10 items, not "http_error"/],
  ['fail_on[0]', withUrl({ fail_on: ['anything'] }), /one of http_error, request_failed, script_error/],
  ['fail_on[0]', withUrl({ fail_on: [5] }), /http_error, request_failed, script_error, or an object with on/],
  ['fail_on[1].on', withUrl({ fail_on: ['http_error', {}] }), /missing/],
  ['fail_on[0].on', withUrl({ fail_on: [{ on: 'script_error' }] }), /one of http_error, request_failed, not/],
  [
    'fail_on[0].status',
    withUrl({ fail_on: [{ on: 'http_error', status: 404 }] }),
    /did you mean "fail_on\[0\].statuses"/,
  ],
  [
    'fail_on[0].statuses',
    withUrl({ fail_on: [{ on: 'http_error', statuses: [] }] }),
    /an array of 1 to 20 items, not 0/,
  ],
  ...[200, 399, 600, '404', '3xx'].map((status): Row => [
    'fail_on[0].statuses[0]',
    withUrl({ fail_on: [{ on: 'request_failed', statuses: [status] }] }),
    /a number from 400 to 599, or the text 4xx or 5xx, not /,
  ]),
  [
    'fail_on[0].except_hosts[1]',
    withUrl({ fail_on: [{ on: 'request_failed', except_hosts: ['a.example', 'https://b.example'] }] }),
    /must be a host name such as ads.example.com, not "https:\/\/b.example"/,
  ],

  // Delivery.
  ['response', withUrl({ response: 'image' }), /one of file, json/],
  ['max_age', withUrl({ max_age: -1 }), /from 0 to 2592000/],
  ['max_age', withUrl({ max_age: 2_592_001 }), /from 0 to 2592000/],
  ['async', withUrl({ async: 'yes' }), /true or false/],
  ['webhook_url', withUrl({ webhook_url: 'https://example.com/' }), /send "async": true/],
  ['expires_in', withUrl({ response: 'json', expires_in: 59 }), /from 60 to 31536000/],
  ['expires_in', withUrl({ expires_in: 60 }), /send "response": "json"/],
  ['reference', withUrl({ reference: 'x'.repeat(201) }), /1 to 200 characters/],
  ['reference', withUrl({ reference: 'a\0b' }), /U\+0000/],
];

for (const [field, body, message] of rows) {
  test(`${field}: ${JSON.stringify(body).slice(0, 100)}`, () => {
    const error = refusal(body);
    assert.equal(error.code, 'validation_error');
    assert.equal(error.details.field, field);
    assert.ok(error.message.startsWith(`${field}: `), error.message);
    assert.match(error.message, message);
    assert.ok(!error.message.includes('secret'), error.message);
    assert.ok(error.message.length < 1200, error.message);
  });
}

test('files need a document', () => {
  assert.equal(refusal({ url }, [logo]).details.field, 'file');
  assert.equal(lower({ html: '<p>' }, [logo]).job.source.kind, 'html');
});

test('all mistakes of a body are named at once in version 2, the first alone in version 1, and never more than ten', () => {
  const failure = refusal({
    url,
    ful_page: true,
    viewport: { width: 1 },
    cookies: [{ name: 'a' }],
    quality: 0,
  });
  const inVersion = (version: 1 | 2) => envelope(failure, version, 'id').error;
  const { message } = inVersion(2);
  assert.deepEqual(
    message.split('; ').map((part) => part.split(':', 1)[0]),
    ['ful_page', 'did you mean "full_page"?', 'viewport.width', 'quality', 'cookies[0].value'],
  );
  assert.equal(failure.details.field, 'ful_page');
  assert.equal(inVersion(1).message, failure.message);
  assert.doesNotMatch(failure.message, /quality/);
  const many = refusal(Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`unknown${n}`, 1])));
  assert.equal(envelope(many, 2, 'id').error.message.match(/unknown field/g)?.length, 10);
});

test('every field has a row that refuses it', () => {
  const named = new Set(rows.map(([field]) => field.replace(/\[\d+\].*|\..*/, '')));
  const without = Object.keys(RenderRequest.properties).filter((name) => !named.has(name));
  assert.deepEqual(without, []);
  assert.ok(Object.keys(OutputOptions.properties).every((name) => named.has(name)));
});

/** The test of its effect on a real page or answer, in this folder or another one of test/: a part of its title. */
const effects: Record<keyof RenderRequest, [file: string, title: string]> = {
  url: ['api/v2/renders.test.ts', 'by default: a PNG of 1440 x 900'],
  html: ['browser/source.test.ts', 'a document finds its files'],
  markdown: ['browser/source.test.ts', 'Markdown is a page with tables'],
  base_url: ['browser/source.test.ts', 'at base_url only the document and the files are answered'],
  viewport: ['browser/view.test.ts', 'a phone: its pixels, its viewport and its orientation'],
  device: ['api/v2/lower-request.test.ts', 'a device gives its view, and fields of the request win'],
  color_scheme: ['browser/view.test.ts', 'a page has the media of the request'],
  media: ['browser/view.test.ts', 'a PDF shows what is for the printer, unless the request says screen'],
  reduced_motion: ['browser/view.test.ts', 'a page has the media of the request'],
  contrast: ['browser/view.test.ts', 'a page is told the contrast of the request'],
  forced_colors: ['browser/view.test.ts', 'a page is told the contrast of the request'],
  locale: ['browser/view.test.ts', 'a page has the language and the time zone'],
  timezone: ['browser/view.test.ts', 'a page has the language and the time zone'],
  geolocation: ['browser/view.test.ts', 'a page is told the place of the request'],
  user_agent: ['browser/view.test.ts', 'a page has the user agent of the request'],
  clock: ['browser/clock.test.ts', 'a countdown: the same picture twice'],
  format: ['site/openapi-v2.test.ts', 'createRender'],
  put_url: ['api/v2/put-url.gate.test.ts', 'are in the bucket, with their type and length'],
  outputs: ['api/v2/renders.test.ts', 'several outputs of one load'],
  full_page: ['browser/pixel-ratio.test.ts', 'full pages in pieces'],
  selector: ['browser/parts-of-pages.test.ts', 'selector: far below'],
  clip: ['browser/parts-of-pages.test.ts', 'clip: beyond the viewport'],
  omit_background: ['browser/parts-of-pages.test.ts', 'omit_background: transparent'],
  quality: ['browser/parts-of-pages.test.ts', 'quality: of JPEG and WebP'],
  resize: ['browser/parts-of-pages.test.ts', 'resize: inside and cover, never larger'],
  compare_to: ['api/v2/compare-to.test.ts', 'a monitor: nothing has changed'],
  paper_format: ['api/v2/renders.test.ts', 'several outputs of one load'],
  paper: ['browser/print-options.test.ts', 'paper: any size'],
  landscape: ['browser/print.test.ts', '4.4 paper:'],
  print_background: ['browser/print.test.ts', 'print_background off'],
  prefer_css_page_size: ['browser/print-options.test.ts', 'several PDFs of one load'],
  scale: ['browser/print.test.ts', 'margin and scale'],
  margin: ['browser/print.test.ts', 'margin and scale'],
  page_ranges: ['browser/print-options.test.ts', 'page_ranges: these pages'],
  single_page: ['browser/print-options.test.ts', 'single_page: one sheet'],
  outline: ['browser/print-options.test.ts', 'outline and tagged'],
  tagged: ['browser/print-options.test.ts', 'outline and tagged'],
  page: ['browser/printed-pages.test.ts', 'page: the printed page as a picture'],
  header: ['browser/margins.test.ts', 'header and footer: on every page'],
  footer: ['browser/margins.test.ts', 'header and footer: on every page'],
  page_numbers: ['browser/page-numbers.test.ts', 'page_numbers: the pages of a table of contents'],
  document: ['browser/printed-pages.test.ts', 'document and password'],
  password: ['browser/printed-pages.test.ts', 'document and password'],
  owner_password: ['browser/printed-pages.test.ts', 'permissions and owner_password'],
  permissions: ['browser/printed-pages.test.ts', 'permissions and owner_password'],
  main_content: ['browser/extracts.test.ts', 'main_content: the article only'],
  headers: ['browser/access.test.ts', 'headers reach every request of the page to its own origin'],
  cookies: ['browser/access.test.ts', 'cookies reach the host'],
  basic_auth: ['browser/access.test.ts', 'a password is sent to the own origin'],
  javascript: ['browser/changes.test.ts', 'without JavaScript'],
  css: ['browser/changes.test.ts', 'css and hide apply'],
  script: ['browser/changes.test.ts', 'a script runs in the page'],
  hide: ['browser/changes.test.ts', 'css and hide apply'],
  block: ['browser/blocking.test.ts', 'are not loaded, in frames of other sites neither'],
  block_hosts: ['browser/blocking.test.ts', 'hosts of the request are not reached'],
  network: ['browser/blocking.test.ts', 'without network a document has its files'],
  wait_until: ['browser/print.test.ts', '4.4 wait_until'],
  wait_for: ['browser/conditions.test.ts', 'a condition is waited for'],
  delay_ms: ['browser/print.test.ts', 'and delay_ms'],
  timeout_ms: ['browser/conditions.test.ts', 'a condition that is not met fails the render'],
  fail_on: ['browser/receipt.test.ts', 'fail_on: an error status'],
  response: ['api/v2/renders.test.ts', 'as JSON: the receipt'],
  async: ['api/v2/async-renders.test.ts', 'async: 202, then the result'],
  webhook_url: ['api/v2/async-renders.test.ts', 'webhook_url: the receipt arrives, signed'],
  max_age: ['api/v2/cache.test.ts', 'a request with max_age is answered with an earlier result'],
  expires_in: ['api/v2/renders.test.ts', 'as JSON: the receipt'],
  reference: ['api/v2/renders.test.ts', 'the list: newest first'],
};

const root = join(import.meta.dirname, '../../..');

test('every field has a test of its effect', () => {
  assert.deepEqual(Object.keys(effects).toSorted(), Object.keys(RenderRequest.properties).toSorted());
  for (const [field, [file, title]] of Object.entries(effects))
    assert.ok(
      readFileSync(join(root, 'test', file), 'utf8').includes(title),
      `${field}: ${file} has no ${title}`,
    );
});

test('test/api/v2/fields.md names a test that exists for every field of hosting', () => {
  const hosting = [
    ...readFileSync(join(root, 'test/api/v2/fields.md'), 'utf8').matchAll(
      /^\| `(\w+)` \| `(\w+)` \| `(test\/[\w./-]+)` \| (.+) \|$/gm,
    ),
  ];
  const fieldsOf = (thing: string, { properties }: { properties: object }): string[] =>
    Object.keys(properties).map((name) => `${thing}.${name}`);
  assert.deepEqual(
    hosting.map(([, thing, field]) => `${thing}.${field}`).toSorted(),
    [
      ...fieldsOf('upload', UploadFromUrl),
      ...fieldsOf('album', NewAlbum),
      ...fieldsOf('upload_link', NewUploadLink),
    ].toSorted(),
  );
  for (const [, , field, file, title] of hosting)
    assert.ok(readFileSync(join(root, file!), 'utf8').includes(title!), `${field}: ${file} has no ${title}`);
});

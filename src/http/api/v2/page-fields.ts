// How a page is seen, what it may know, how it is changed and what is waited for. Spec 10.
import { Type } from 'typebox';
import { limits } from '#core/limits.ts';
import { plainView } from '#browser/job.ts';
import { choice, optional, sizedText, strict } from '#http/api/fields.ts';
import { lifecycleEvents, pdfOptions } from '#http/api/render-fields.ts';
import { devices } from '#http/api/v2/devices.ts';
import { selector } from '#http/api/v2/output-fields.ts';

const KiB = 1024;
const secret = { writeOnly: true };
const on = (description: string) => Type.Boolean({ default: true, description });
const off = (description: string) => Type.Boolean({ default: false, description });
const listOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Array(choice(values, { description: 'One of them.' }), {
    maxItems: values.length,
    default: [],
    description,
  });

export const viewFields = optional({
  viewport: Type.Object(
    {
      ...pdfOptions.viewport.properties,
      ...optional({
        pixel_ratio: Type.Number({
          minimum: 1,
          maximum: 3,
          default: plainView.pixelRatio,
          description: 'Device pixels for each CSS pixel.',
        }),
        mobile: off('Lay the page out as a phone does, and allow touch.'),
      }),
    },
    { ...strict, default: {}, description: 'The window that the page is laid out in.' },
  ),
  device: choice(Object.keys(devices), {
    description: 'A device whose viewport and user agent are used; fields of the request win.',
  }),
  color_scheme: choice(['light', 'dark'], {
    default: plainView.colorScheme,
    description: 'The colour scheme that the page is told to prefer.',
  }),
  media: choice(['screen', 'print'], {
    description: 'The CSS media type: screen, if it is left out, and print for a PDF.',
  }),
  reduced_motion: off('Tell the page to prefer reduced motion.'),
  locale: Type.String({
    minLength: 2,
    maxLength: 60,
    default: plainView.locale,
    description: 'The language of the browser, such as de-CH.',
  }),
  timezone: Type.String({
    minLength: 1,
    maxLength: 60,
    default: plainView.timezone,
    description: 'The time zone of the browser, such as Europe/Zurich.',
  }),
  geolocation: Type.Object(
    {
      latitude: Type.Number({ minimum: -90, maximum: 90, description: 'Degrees north.' }),
      longitude: Type.Number({ minimum: -180, maximum: 180, description: 'Degrees east.' }),
      accuracy: Type.Optional(
        Type.Number({ minimum: 0, maximum: 100_000, default: 10, description: 'In metres.' }),
      ),
    },
    { ...strict, description: 'Where the page finds itself, if it asks.' },
  ),
  user_agent: Type.String({
    minLength: 1,
    maxLength: 500,
    description: "The user agent that the page sees; the browser's own, if it is left out.",
  }),
  clock: Type.String({
    format: 'date-time',
    description: 'When the time of the page begins, such as 2026-01-31T09:00:00Z; now, if it is left out.',
  }),
});

export const headerBytes = 4 * KiB;

const Cookie = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 256, description: 'The name of the cookie.' }),
    value: Type.String({ maxLength: 4 * KiB, description: 'The value of the cookie.' }),
    ...optional({
      domain: Type.String({
        minLength: 1,
        maxLength: 253,
        description: "Also for the subdomains of this name. The page's host alone, if it is left out.",
      }),
      path: Type.String({
        minLength: 1,
        maxLength: 1024,
        default: '/',
        description: 'For paths below this.',
      }),
      secure: off('For https only.'),
      http_only: off('Hidden from scripts.'),
      same_site: choice(['strict', 'lax', 'none'], {
        description: 'When other sites may cause it to be sent.',
      }),
    }),
  },
  strict,
);

export const accessFields = optional({
  headers: Type.Record(Type.String(), Type.String(), {
    ...secret,
    maxProperties: 20,
    description: `Request headers for the page's own origin, at most 20, each value up to ${headerBytes} bytes.`,
  }),
  cookies: Type.Array(Cookie, { ...secret, maxItems: 50, description: "Cookies for the page's site." }),
  basic_auth: Type.Object(
    {
      username: Type.String({ maxLength: 255, description: 'The user name.' }),
      password: Type.String({ maxLength: 1024, description: 'The password.' }),
    },
    { ...strict, ...secret, description: "The password for the page's own origin." },
  ),
});

export const changeFields = optional({
  javascript: on('Run the scripts of the page.'),
  css: sizedText(100 * KiB, 'Style that is added to the page from the first paint.'),
  script: sizedText(100 * KiB, 'The body of an async function that runs in the page once it has loaded.'),
  hide: Type.Array(selector('Elements to hide.'), {
    maxItems: 20,
    default: [],
    description: 'Elements that are not shown, from the first paint.',
  }),
  block: listOf(
    ['ads', 'cookie_banners', 'images', 'media', 'fonts'],
    'What is left out. Cookie banners are declined, never accepted; ads needs a list of the operator.',
  ),
  block_hosts: Type.Array(
    Type.String({ minLength: 1, maxLength: 253, description: 'A host name, such as ads.example.com.' }),
    { maxItems: 50, default: [], description: 'Hosts that the page may not reach, with their subdomains.' },
  ),
});

const expression = Type.Object(
  {
    expression: Type.String({
      minLength: 1,
      maxLength: 10_000,
      description: 'A JavaScript expression, waited for until it is truthy.',
    }),
  },
  strict,
);
const element = Type.Object(
  {
    selector: selector('The element to wait for.'),
    state: Type.Optional(
      choice(['visible', 'attached', 'gone'], {
        default: 'visible',
        description: 'visible: shown; attached: there; gone: not there, or not shown.',
      }),
    ),
  },
  strict,
);
const text = Type.String({ minLength: 1, maxLength: 500 });
const kinds =
  'a selector of 1 to 500 characters, an object with selector and state, an object with expression';
const condition = Type.Union([text, element, expression], { description: `One of them: ${kinds}.` });
const mostConditions = 5;

export const waitFields = optional({
  wait_until: choice(['settled', ...lifecycleEvents], {
    default: 'settled',
    description: 'What the page must have reached. settled: loaded, and then at rest.',
  }),
  wait_for: Type.Union([text, element, expression, Type.Array(condition, { maxItems: mostConditions })], {
    description: `What is waited for after the script: ${kinds}, or an array of at most ${mostConditions} of these.`,
  }),
  delay_ms: pdfOptions.delay_ms,
  timeout_ms: Type.Integer({
    minimum: 1_000,
    maximum: limits.renderTotalMs,
    description: `How long the render may take, in milliseconds: ${limits.screenshotTotalMs}, if it is left out, and ${limits.pdfTotalMs} with a PDF.`,
  }),
  fail_on: listOf(
    ['http_error', 'request_failed', 'script_error'],
    'A status of 400 or more, a request that fails or an error of a script makes the render fail, instead of a warning.',
  ),
});

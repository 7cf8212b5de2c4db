// How the page is seen.
import { Type } from 'typebox';
import { invalid } from '#core/errors.ts';
import { plainView } from '#browser/job.ts';
import { choice, flagOff, optional, strict, unit, text } from '#api/fields.ts';
import { pdfOptions } from '#api/render-fields.ts';
import { devices } from '#api/v2/devices.ts';
import { rowsOf } from '#api/v2/fields/row.ts';
import { languageTagOf } from '#api/v2/language-tag.ts';

const { shown } = rowsOf('view', 'View');
const degrees = (most: number, description: string) =>
  Type.Number({ minimum: -most, maximum: most, description, ...unit('degrees') });
const metres = { minimum: 0, maximum: 100_000, default: 10 };

export const viewRows = {
  viewport: shown(
    Type.Object(
      {
        ...pdfOptions.viewport.properties,
        ...optional({
          pixel_ratio: Type.Number({
            minimum: 1,
            maximum: 3,
            default: plainView.pixelRatio,
            description: 'Device pixels for each CSS pixel.',
          }),
          mobile: flagOff('Lay the page out as a phone does, and allow touch.'),
        }),
      },
      { ...strict, default: {}, description: 'The window that the page is laid out in.' },
    ),
    {
      lower: ({ pixel_ratio: pixelRatio, mobile, ...size }) => ({
        ...size,
        ...(pixelRatio !== undefined && { pixelRatio }),
        ...(mobile !== undefined && { mobile, touch: mobile }),
      }),
    },
  ),
  device: shown(
    choice(Object.keys(devices), {
      description: 'A device whose viewport and user agent are used; fields of the request win.',
    }),
    { isReadElsewhere: true },
  ),
  color_scheme: shown(
    choice(['light', 'dark'], {
      default: plainView.colorScheme,
      description: 'The colour scheme that the page is told to prefer.',
    }),
  ),
  media: shown(
    choice(['screen', 'print'], {
      description: 'The CSS media type: screen, if it is left out, and print for a PDF.',
    }),
  ),
  reduced_motion: shown(flagOff('Tell the page to prefer reduced motion.')),
  contrast: shown(
    choice(['no_preference', 'more', 'less'], {
      default: plainView.contrast,
      description: 'The contrast that the page is told to prefer.',
    }),
  ),
  forced_colors: shown(
    flagOff('Show the page in the few colours of a high-contrast theme, which follows color_scheme.'),
  ),
  locale: shown(
    text(60, 'The language of the browser, such as de-CH.', { minLength: 2, default: plainView.locale }),
    { lower: (locale, { field }) => ({ locale: languageTagOf(locale, field) }) },
  ),
  timezone: shown(
    text(60, 'The time zone of the browser, such as Europe/Zurich.', { default: plainView.timezone }),
    { lower: (timezone, { field }) => ({ timezone: timezoneOf(timezone, field) }) },
  ),
  geolocation: shown(
    Type.Object(
      {
        latitude: degrees(90, 'Degrees north.'),
        longitude: degrees(180, 'Degrees east.'),
        accuracy: Type.Optional(Type.Number({ ...metres, description: 'In metres.', ...unit('m') })),
      },
      { ...strict, description: 'Where the page finds itself, if it asks.' },
    ),
    { lower: (given) => ({ geolocation: { accuracy: metres.default, ...given } }) },
  ),
  user_agent: shown(text(500, "The user agent that the page sees; the browser's own, if it is left out."), {
    lower(userAgent, { field }) {
      if (/^[\u0020-\u007e]+$/.test(userAgent)) return { userAgent };
      throw invalid(field, 'must have printable ASCII characters only');
    },
  }),
  clock: shown(
    Type.String({
      format: 'date-time',
      description: 'When the time of the page begins, such as 2026-01-31T09:00:00Z; now, if it is left out.',
    }),
    { lower: (clock, { field }) => ({ clock: clockOf(clock, field) }) },
  ),
};

function timezoneOf(given: string, field: string): string {
  try {
    // An offset is no zone for the browser.
    if (!/^[+-]/.test(given))
      return new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions().timeZone;
  } catch {
    // Not a time zone.
  }
  throw invalid(
    field,
    `must be a name of the IANA database such as Europe/Zurich, not ${JSON.stringify(given)}`,
  );
}

const clockYears = { min: 1971, max: 9998 };

function clockOf(given: string, field: string): number {
  const ms = Date.parse(given);
  const year = new Date(ms).getUTCFullYear();
  if (year >= clockYears.min && year <= clockYears.max) return ms;
  throw invalid(
    field,
    `must be a date and time from ${clockYears.min} to ${clockYears.max}, not ${JSON.stringify(given)}`,
  );
}

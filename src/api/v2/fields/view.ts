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
            description: 'Device pixels for each CSS pixel; 2 makes a picture twice as wide and high.',
          }),
          mobile: flagOff('Lay the page out as on a phone, with touch.'),
        }),
      },
      { ...strict, default: {}, description: 'The window that the page is laid out in, in CSS pixels.' },
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
      description:
        'The device whose viewport and user agent are used, such as iPhone 15; viewport and user_agent win over it.',
    }),
    { isReadElsewhere: true },
  ),
  color_scheme: shown(
    choice(['light', 'dark'], {
      default: plainView.colorScheme,
      description: 'The colour scheme that the page sees as preferred.',
    }),
  ),
  media: shown(
    choice(['screen', 'print'], {
      description: 'The CSS media type. Left out: print for a PDF, screen for everything else.',
    }),
  ),
  reduced_motion: shown(flagOff('Tell the page that reduced motion is preferred.')),
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
    text(60, 'The language that the page sees and is asked for, such as de-CH.', {
      minLength: 2,
      default: plainView.locale,
    }),
    { lower: (locale, { field }) => ({ locale: languageTagOf(locale, field) }) },
  ),
  timezone: shown(
    text(60, 'The time zone that the page sees, such as Europe/Zurich.', { default: plainView.timezone }),
    { lower: (timezone, { field }) => ({ timezone: timezoneOf(timezone, field) }) },
  ),
  geolocation: shown(
    Type.Object(
      {
        latitude: degrees(90, 'Degrees north of the equator, such as 47.37.'),
        longitude: degrees(180, 'Degrees east of Greenwich, such as 8.54.'),
        accuracy: Type.Optional(
          Type.Number({ ...metres, description: 'How exact the place is, in metres.', ...unit('m') }),
        ),
      },
      { ...strict, description: 'The place that the page is told when it asks for one.' },
    ),
    { lower: (given) => ({ geolocation: { accuracy: metres.default, ...given } }) },
  ),
  user_agent: shown(text(500, "The user agent that the page sees. Left out: the browser's own."), {
    lower(userAgent, { field }) {
      if (/^[\u0020-\u007e]+$/.test(userAgent)) return { userAgent };
      throw invalid(field, 'must have printable ASCII characters only');
    },
  }),
  clock: shown(
    Type.String({
      format: 'date-time',
      description:
        'The date and time at which the clock of the page starts, such as 2026-01-31T09:00:00Z. Left out: now.',
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

// What is waited for.
import { Type, type Static } from 'typebox';
import { limits } from '#core/limits.ts';
import type { WaitFor } from '#browser/job.ts';
import { choice, listOf, saying, selector, strict, unit, text, integer } from '#api/fields.ts';
import { lifecycleEvents, pdfOptions } from '#api/render-fields.ts';
import { checkSelector } from '#api/v2/check-selector.ts';
import { rowsOf } from '#api/v2/fields/row.ts';

const { shown } = rowsOf('waits', 'Waiting');

const expression = Type.Object(
  {
    expression: text(10_000, 'A JavaScript expression, waited for until it is truthy.'),
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
const aSelector = Type.String({ minLength: 1, maxLength: 500 });
const kinds =
  'a selector of 1 to 500 characters, an object with selector and state, an object with expression';
const Condition = Type.Union([aSelector, element, expression], saying('One of them', kinds));
const mostConditions = 5;
const kindsOrList = `${kinds}, or an array of at most ${mostConditions} of these`;

export const waitRows = {
  wait_until: shown(
    choice(['settled', ...lifecycleEvents], {
      default: 'settled',
      description: 'What the page must have reached. settled: loaded, and then at rest.',
    }),
    { lower: (until) => ({ until }) },
  ),
  wait_for: shown(
    Type.Union(
      [aSelector, element, expression, Type.Array(Condition, { maxItems: mostConditions })],
      saying('What is waited for after the script', kindsOrList),
    ),
    {
      lower: (given, { field }) => ({
        for: Array.isArray(given)
          ? given.map((one, index) => conditionOf(one, `${field}[${index}]`))
          : [conditionOf(given, field)],
      }),
    },
  ),
  delay_ms: shown(pdfOptions.delay_ms),
  timeout_ms: shown(
    integer(
      1_000,
      limits.renderTotalMs,
      `How long the render may take, in milliseconds: ${limits.screenshotTotalMs}, if it is left out, and ${limits.pdfTotalMs} with a PDF.`,
      { ...unit('ms') },
    ),
    { isReadElsewhere: true },
  ),
  fail_on: shown(
    listOf(
      ['http_error', 'request_failed', 'script_error'],
      'A status of 400 or more, a request that fails or an error of a script makes the render fail, instead of a warning.',
    ),
    { lower: (failOn) => ({ failOn: [...new Set(failOn)] }) },
  ),
};

function conditionOf(given: Static<typeof Condition>, field: string): WaitFor {
  if (typeof given === 'string') {
    checkSelector(given, field);
    return { selector: given, state: 'visible' };
  }
  if ('expression' in given) return given;
  checkSelector(given.selector, `${field}.selector`);
  return { state: 'visible', ...given };
}

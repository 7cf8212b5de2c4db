// What is waited for.
import { Type, type Static } from 'typebox';
import { limits } from '#core/limits.ts';
import type { FailOn, WaitFor } from '#browser/job.ts';
import { choice, saying, selector, strict, unit, text, integer } from '#api/fields.ts';
import { lifecycleEvents, pdfOptions } from '#api/render-fields.ts';
import { checkSelector } from '#api/v2/check-selector.ts';
import { listedHostOf } from '#api/v2/fields/access.ts';
import { rowsOf } from '#api/v2/fields/row.ts';

const { shown } = rowsOf('waits', 'Waiting');

const expression = Type.Object(
  {
    expression: text(10_000, 'A JavaScript expression that must become true, such as window.ready.'),
  },
  strict,
);
const element = Type.Object(
  {
    selector: selector('The element to wait for.'),
    state: Type.Optional(
      choice(['visible', 'attached', 'gone'], {
        default: 'visible',
        description:
          'visible: it is shown; attached: it is in the document; gone: it is hidden or not in the document.',
      }),
    ),
  },
  strict,
);
const aSelector = Type.String({ minLength: 1, maxLength: 500 });
const kinds =
  'a selector of 1 to 500 characters, an object with selector and state, an object with expression';
const Condition = Type.Union([aSelector, element, expression], saying('One of them', kinds));
const faultKinds =
  'http_error, request_failed, script_error, or an object with on (http_error or request_failed), statuses, except_hosts';
const Fault = Type.Union(
  [
    choice(['http_error', 'request_failed', 'script_error'], { description: 'All of a kind.' }),
    Type.Object(
      {
        on: choice(['http_error', 'request_failed'], {
          description: 'http_error: of the page itself; request_failed: of what the page asks for.',
        }),
        statuses: Type.Optional(
          Type.Array(
            Type.Union(
              [
                Type.Integer({ minimum: 400, maximum: 599 }),
                Type.String({ pattern: '^[45]xx$', description: 'All of 400 to 499, or of 500 to 599.' }),
              ],
              saying('A status', 'a number from 400 to 599, or the text 4xx or 5xx'),
            ),
            {
              minItems: 1,
              maxItems: 20,
              description: 'Only these, such as 404 or 5xx; then no answer does not count.',
            },
          ),
        ),
        except_hosts: Type.Optional(
          Type.Array(text(253, 'A host name, such as cdn.example.com.'), {
            maxItems: 50,
            default: [],
            description: 'Not those of these hosts and their subdomains.',
          }),
        ),
      },
      strict,
    ),
  ],
  saying('One of them', faultKinds),
);
const mostConditions = 5;
const kindsOrList = `${kinds}, or an array of at most ${mostConditions} of these`;

export const waitRows = {
  wait_until: shown(
    choice(['settled', ...lifecycleEvents], {
      default: 'settled',
      description:
        'How far the page must have come before it is captured. settled: loaded, and then at rest.',
    }),
    { lower: (until) => ({ until }) },
  ),
  wait_for: shown(
    Type.Union(
      [aSelector, element, expression, Type.Array(Condition, { maxItems: mostConditions })],
      saying('What must be there, after the script, before the page is captured', kindsOrList),
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
    Type.Array(Fault, {
      maxItems: 10,
      default: [],
      description:
        'What makes the render fail instead of adding a warning: a status of 400 or more, a request that fails, an error of a script. An object counts only some statuses, or not those of some hosts.',
    }),
    {
      lower: (given, { field }) => ({
        failOn: given.map((one, index) => failOnOf(one, `${field}[${index}]`)),
      }),
    },
  ),
};

function failOnOf(given: Static<typeof Fault>, field: string): FailOn {
  if (typeof given === 'string') return { on: given, statuses: null, exceptHosts: [] };
  const { on, statuses = null, except_hosts: hosts = [] } = given;
  const exceptHosts = hosts.map((host, index) => listedHostOf(host, `${field}.except_hosts[${index}]`));
  return { on, statuses, exceptHosts };
}

function conditionOf(given: Static<typeof Condition>, field: string): WaitFor {
  if (typeof given === 'string') {
    checkSelector(given, field);
    return { selector: given, state: 'visible' };
  }
  if ('expression' in given) return given;
  checkSelector(given.selector, `${field}.selector`);
  return { state: 'visible', ...given };
}

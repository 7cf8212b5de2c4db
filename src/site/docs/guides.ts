// What applies to every endpoint: the key, errors and what to do about each, retries, repeats, the delete URL and the limits
// here.
import { errorCodes, errorTable } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import type { Plan } from '#accounts/plans.ts';
import { table } from '#site/docs/table.ts';
import { headersOfBoth } from '#site/openapi/headers.ts';
import { html, type Html } from '#site/pages/page.ts';

interface Guide {
  id: string;
  title: string;
  body: Html;
}

export function guidesOf(baseUrl: string, plans: Plan[]): Guide[] {
  return [
    {
      id: 'authentication',
      title: 'Authentication',
      body: html`<p>
          Every request carries <code>Authorization: Bearer &lt;API_KEY&gt;</code>. Keys begin with
          <code>tt_</code> and are made in the <a href="/dashboard/keys">dashboard</a>, where they can be
          narrowed to uploads or renders, given a last day, rotated and revoked.
        </p>
        <p>
          The request budget and the quota belong to the account and are shared by all of its keys. A key in a
          public web page is public; the operator lists the origins that may call from a browser.
        </p>`,
    },
    { id: 'errors', title: 'Errors', body: errors() },
    {
      id: 'headers',
      title: 'Headers of an answer',
      body: table(
        'Headers',
        ['Header', 'Meaning'],
        Object.entries(headersOfBoth).map(
          ([name, { description }]) =>
            html`<tr>
              <td><code>${name}</code></td>
              <td>${description}</td>
            </tr>`,
        ),
      ),
    },
    {
      id: 'retries',
      title: 'Retries',
      body: html`<p>
          Retry what <a href="#errors">the table</a> says, and nothing else: every other error stays what it
          is until the request changes. A 429 says in <code>Retry-After</code> how many seconds to wait.
          Otherwise wait one second, then two, then four, each with some randomness, and stop after five
          attempts (502: two).
        </p>
        <p>
          A 5xx without the error body comes from something in between, such as a proxy. Treat it like a 500.
        </p>`,
    },
    {
      id: 'idempotency',
      title: 'Repeating safely',
      body: html`<p>
        Send <code>Idempotency-Key</code> with a value of your own, such as a UUID, up to 255 characters. A
        repeat with the same key and the same body within 24 hours gets the stored answer again, and is not
        metered twice. Use it whenever you retry: a connection can break after the work was done.
      </p>`,
    },
    {
      id: 'delete-url',
      title: 'The delete URL',
      body: html`<p>
          Each upload comes with a <code>delete_url</code>. It needs no key, so treat it as a secret. POST or
          DELETE it to delete the file for good; the answer is <code>{"id": "…", "deleted": true}</code>. A
          GET by a program deletes too. Only a browser, a prefetch and the link previews and crawlers that are
          known by their User-Agent get a page that asks first; so do not post it where unknown programs fetch
          links. Version 2 also deletes by id and key, with DELETE alone. Every wrong, used or expired one
          answers the same 404.
        </p>
        <pre
          tabindex="0"
          class="curl"
          aria-label="Example: delete an upload"
        ><code>curl --fail-with-body -X POST "${baseUrl}/api/uploads/&lt;id&gt;/delete?token=&lt;token&gt;"</code></pre>`,
    },
    { id: 'limits', title: 'Limits of this installation', body: limitTables(plans) },
  ];
}

function errors(): Html {
  return html`<p>
      Every error has the body <code>{"error": {"code": "…", "message": "…"}}</code>. The code is for programs
      and does not change; the message is for people and names the field. A batch in which every file failed
      keeps the body of a batch. Version 2 also has <code>field</code>, <code>reason</code> (why a render
      failed), <code>retryable</code> and <code>request_id</code>.
    </p>
    ${table(
      'Errors',
      ['Code', 'HTTP', 'Retry', 'What happened', 'What to do'],
      errorCodes.map((code) => {
        const { status, retryable, means, todo } = errorTable[code];
        return html`<tr id="error-${code}">
          <td><code>${code}</code></td>
          <td>${status}</td>
          <td>${retryable ? 'yes' : 'no'}</td>
          <td>${withCode(means)}</td>
          <td>${withCode(todo)}</td>
        </tr>`;
      }),
    )}`;
}

/** Markdown's backticks as markup. */
const withCode = (text: string): Html[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));

const number = (value: number): string => value.toLocaleString('en');
const seconds = (ms: number): string => `${ms / 1000} s`;

function limitTables(plans: Plan[]): Html {
  const life = (seconds: number | null): string => {
    if (seconds === null) return 'no cap';
    return seconds % 86_400 === 0 ? `${number(seconds / 86_400)} days` : `${number(seconds)} seconds`;
  };
  const heads = [
    'Plan',
    'Uploads a month',
    'Renders a month',
    'Requests a minute',
    'Renders at once',
    'Overages',
    'Longest link',
  ];
  const rows = plans.map((plan) => [
    plan.name,
    number(plan.uploads_per_month),
    number(plan.renders_per_month),
    number(plan.requests_per_minute),
    number(plan.concurrent_renders),
    plan.overages ? 'available' : 'no',
    life(plan.max_link_seconds),
  ]);
  return html`${table(
      'Plans',
      heads,
      rows.map(
        (cells) =>
          html`<tr>
            ${cells.map((cell) => html`<td>${cell}</td>`)}
          </tr>`,
      ),
    )}
    <p>
      A month is a calendar month in UTC. Failed requests are not metered. A page may take
      ${seconds(limits.navigationMs)} to load; a screenshot may take ${seconds(limits.screenshotTotalMs)} in
      all, a PDF ${seconds(limits.pdfTotalMs)}. The limits of a field are in the table of its endpoint.
    </p>`;
}

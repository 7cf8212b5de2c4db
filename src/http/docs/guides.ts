// What applies to every endpoint: the key, errors and what to do about each, retries, repeats, the delete URL and the limits
// here.
import { errorTable, type ErrorCode } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import type { Plan } from '#accounts/plans.ts';
import { html, type Html } from '#http/hosted/page.ts';

interface Meaning {
  retry: boolean;
  means: string;
  todo: string;
}

const meanings: Record<ErrorCode, Meaning> = {
  unauthorized: {
    retry: false,
    means:
      'The key is missing, malformed, unknown, revoked or expired, may not do this, or its account is suspended or unverified.',
    todo: 'Check the key. The request log in the dashboard says which of these it was.',
  },
  quota_exceeded: {
    retry: false,
    means: 'The units of this month are used up, and overages are off or not on the plan.',
    todo: 'Wait for the first of the month (UTC), change the plan, or turn overages on.',
  },
  not_found: {
    retry: false,
    means: 'There is nothing at this path.',
    todo: 'Check the path: lower case, no slash at the end.',
  },
  method_not_allowed: { retry: false, means: 'The endpoints take POST only.', todo: 'Use POST.' },
  file_too_large: { retry: false, means: 'A file is larger than 10 MB.', todo: 'Send a smaller file.' },
  batch_too_large: {
    retry: false,
    means: 'The files of a batch are larger than 50 MB together. Nothing was stored.',
    todo: 'Send smaller batches.',
  },
  unsupported_type: {
    retry: false,
    means: 'The bytes are none of PNG, JPEG, GIF, WebP, SVG and AVIF. Name and declared type do not count.',
    todo: 'Convert the file.',
  },
  validation_error: {
    retry: false,
    means: 'A field is wrong. The message names it and the reason.',
    todo: 'Correct the field.',
  },
  too_many_files: {
    retry: false,
    means: 'A batch has more than 10 files. Nothing was stored.',
    todo: 'Send at most 10.',
  },
  rate_limited: {
    retry: true,
    means: 'The requests of this minute are spent. Nothing was metered.',
    todo: 'Wait the seconds in Retry-After, then back off exponentially with jitter.',
  },
  concurrency_limited: {
    retry: true,
    means: 'As many renders are running as the plan allows.',
    todo: 'Wait the seconds in Retry-After.',
  },
  internal: {
    retry: true,
    means: 'A fault on our side. Nothing was metered.',
    todo: 'Retry with exponential backoff. Name the x-request-id when you report it.',
  },
  capture_failed: {
    retry: true,
    means: 'The page could not be loaded or captured. Nothing was metered.',
    todo: 'Retry once or twice with backoff, then stop.',
  },
  render_failed: {
    retry: true,
    means: 'The page could not be loaded or printed. Nothing was metered.',
    todo: 'Retry once or twice with backoff, then stop.',
  },
};

export interface Guide {
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
      id: 'retries',
      title: 'Retries',
      body: html`<p>
          Retry 429, 500 and 502, and nothing else: 401, 402, 413, 415 and 422 stay what they are until the
          request changes. A 429 says in <code>Retry-After</code> how many seconds to wait. Otherwise wait one
          second, then two, then four, each with some randomness, and stop after five attempts (502: two).
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
          DELETE it to delete the file for good; the answer is <code>{"id": "…", "deleted": true}</code>. In a
          browser it asks first, so that a link preview deletes nothing. Every wrong, used or expired one
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
  const codes = Object.keys(errorTable) as ErrorCode[];
  return html`<p>
      Every error has the body <code>{"error": {"code": "…", "message": "…"}}</code>. The code is for programs
      and does not change; the message is for people and names the field. A batch in which every file failed
      keeps the body of a batch.
    </p>
    <div class="scroll" tabindex="0" role="region" aria-label="Errors">
      <table>
        <thead>
          <tr>
            <th scope="col">Code</th>
            <th scope="col">HTTP</th>
            <th scope="col">Retry</th>
            <th scope="col">What happened</th>
            <th scope="col">What to do</th>
          </tr>
        </thead>
        <tbody>
          ${codes.map((code) => {
            const { retry, means, todo } = meanings[code];
            return html`<tr id="error-${code}">
              <td><code>${code}</code></td>
              <td>${errorTable[code]}</td>
              <td>${retry ? 'yes' : 'no'}</td>
              <td>${means}</td>
              <td>${todo}</td>
            </tr>`;
          })}
        </tbody>
      </table>
    </div>`;
}

const number = (value: number): string => value.toLocaleString('en');

function limitTables(plans: Plan[]): Html {
  const life = (seconds: number | null): string => {
    if (seconds === null) return 'no cap';
    return seconds % 86_400 === 0 ? `${number(seconds / 86_400)} days` : `${number(seconds)} seconds`;
  };
  const { expiresInSeconds: expiry } = limits;
  const fixed: [string, string][] = [
    ['One file', '10 MB'],
    ['One batch', `${limits.batchFiles} files, 50 MB together`],
    ['expires_in', `${number(expiry.min)} to ${number(expiry.max)} seconds`],
    ['Viewport', '320 to 3,840 by 320 to 2,160 CSS pixels'],
    ['Screenshot', '25 s to navigate, 60 s in all'],
    ['PDF', '25 s to navigate, 75 s in all'],
  ];
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Plans">
      <table>
        <thead>
          <tr>
            <th scope="col">Plan</th>
            <th scope="col">Uploads a month</th>
            <th scope="col">Renders a month</th>
            <th scope="col">Requests a minute</th>
            <th scope="col">Renders at once</th>
            <th scope="col">Overages</th>
            <th scope="col">Longest link</th>
          </tr>
        </thead>
        <tbody>
          ${plans.map(
            (plan) =>
              html`<tr>
                <td>${plan.name}</td>
                <td>${number(plan.uploads_per_month)}</td>
                <td>${number(plan.renders_per_month)}</td>
                <td>${number(plan.requests_per_minute)}</td>
                <td>${number(plan.concurrent_renders)}</td>
                <td>${plan.overages ? 'available' : 'no'}</td>
                <td>${life(plan.max_link_seconds)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <p>A month is a calendar month in UTC. Failed requests are not metered.</p>
    <div class="scroll" tabindex="0" role="region" aria-label="Limits">
      <table>
        <tbody>
          ${fixed.map(
            ([what, value]) =>
              html`<tr>
                <th scope="row">${what}</th>
                <td>${value}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

// One endpoint on the reference page: what it does, the call in three languages, its fields, and its responses with examples.
import { errorCodes } from '#core/errors.ts';
import {
  examplesOf,
  follow,
  typeOf,
  type Header,
  type Media,
  type OpenapiDocument,
  type Operation,
  type Response,
  type Schema,
} from '#http/docs/document.ts';
import { samplesOf, type Sample } from '#http/docs/samples.ts';
import { html, type Html } from '#http/pages/page.ts';

export const anchorOf = (path: string): string => path.slice('/api/v1/'.length).replaceAll('/', '-');

const playgroundTabs: Record<string, string> = {
  '/api/v1/upload': 'upload',
  '/api/v1/screenshot': 'screenshot',
  '/api/v1/pdf': 'pdf',
};

export function showOperation(
  document: OpenapiDocument,
  baseUrl: string,
  path: string,
  operation: Operation,
): Html {
  const id = anchorOf(path);
  const [contentType = '', media = {}] =
    Object.entries(follow(document, operation.requestBody).content)[0] ?? [];
  const isJson = contentType === 'application/json';
  const tab = playgroundTabs[path];
  return html`<section id="${id}">
    <h2>
      ${operation.summary} <a class="anchor" href="#${id}" aria-label="Link to ${operation.summary}">#</a>
    </h2>
    <p class="address"><span class="method">POST</span> <code>${path}</code></p>
    ${operation.description !== undefined && html`<p>${operation.description}</p>`}
    <p>
      The body is <code>${contentType}</code>.
      ${
        tab !== undefined &&
        html`<a class="try" href="/dashboard/playground?tab=${tab}">Open in the playground</a>`
      }
    </p>
    ${showSamples(id, samplesOf(baseUrl, path, isJson ? requestBody(document, media) : undefined))}
    <h3>Fields</h3>
    <div class="scroll" tabindex="0" role="region" aria-label="Fields: ${operation.summary}">
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Type</th>
            <th scope="col">Default</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          ${fieldRows(document, media.schema ?? {}, '')}
        </tbody>
      </table>
    </div>
    <h3>Answers</h3>
    ${Object.entries(operation.responses)
      .filter(([status]) => status.startsWith('2'))
      .map(([status, response]) => showAnswer(document, status, follow(document, response)))}
    ${showErrors(document, operation)}
  </section>`;
}

/** The first example of the request, or only the required field. */
function requestBody(document: OpenapiDocument, media: Media): Record<string, unknown> {
  const hasExample = media.example !== undefined || Object.keys(media.examples ?? {}).length > 0;
  const [, value] = hasExample ? (examplesOf(document, media)[0] ?? []) : [];
  return (value as Record<string, unknown> | undefined) ?? { url: 'https://example.com' };
}

/** Radio buttons, so that choosing a language needs no script; all languages are printed on paper. */
function showSamples(id: string, samples: Sample[]): Html {
  return html`<div class="samples" role="group" aria-label="Example calls">
    ${samples.map(
      (sample, index) =>
        html`<input
            type="radio"
            name="language-${id}"
            id="${id}-${sample.id}"
            value="${sample.id}"
            ${index === 0 && 'checked'}
          /><label for="${id}-${sample.id}">${sample.language}</label>`,
    )}
    ${samples.map(
      (sample) =>
        html`<pre
          class="${sample.id}"
          tabindex="0"
          aria-label="${sample.language}"
        ><code>${sample.code}</code></pre>`,
    )}
  </div>`;
}

function fieldRows(document: OpenapiDocument, given: Schema, prefix: string): Html[] {
  const schema = follow(document, given);
  return Object.entries(schema.properties ?? {}).flatMap(([name, reference]) => {
    const property = follow(document, reference);
    const isRequired = schema.required?.includes(name) === true;
    return [
      html`<tr>
        <td><code>${prefix}${name}</code>${isRequired && html` <span class="required">required</span>`}</td>
        <td>${typeOf(document, property)}</td>
        <td>${property.default !== undefined && html`<code>${JSON.stringify(property.default)}</code>`}</td>
        <td>${property.description ?? (property.items && follow(document, property.items).description)}</td>
      </tr>`,
      ...(property.properties ? fieldRows(document, property, `${prefix}${name}.`) : []),
    ];
  });
}

function showAnswer(document: OpenapiDocument, status: string, response: Response): Html {
  const bodies = Object.entries(response.content ?? {});
  const bytes = bodies.filter(([type]) => type !== 'application/json').map(([type]) => type);
  const json = response.content?.['application/json'];
  return html`<h4><span class="status">${status}</span> ${response.description}</h4>
    ${
      bytes.length > 0 &&
      html`<p>
        The bytes, as <code>${bytes.join(', ')}</code>. With <code>"response": "json"</code> the file is
        hosted, and the answer is:
      </p>`
    }
    ${
      json &&
      examplesOf(document, json)
        .slice(0, 1)
        .map(
          ([name, value]) =>
            html`<pre
              tabindex="0"
              aria-label="${status}: ${name}"
            ><code>${JSON.stringify(value, null, 2)}</code></pre>`,
        )
    }
    ${response.headers && showHeaders(document, response.headers)}`;
}

function showHeaders(document: OpenapiDocument, headers: Record<string, Header>): Html {
  return html`<details>
    <summary>Headers of the answer</summary>
    <dl class="headers">
      ${Object.entries(headers).map(
        ([name, header]) =>
          html`<div>
            <dt><code>${name}</code></dt>
            <dd>${follow(document, header).description}</dd>
          </div>`,
      )}
    </dl>
  </details>`;
}

/** Codes as links to their meaning and what to do. */
function showErrors(document: OpenapiDocument, operation: Operation): Html {
  return html`<h4>Errors</h4>
    <ul class="errors">
      ${Object.entries(operation.responses)
        .filter(([status]) => !status.startsWith('2'))
        .map(([status, response]) => {
          const { description } = follow(document, response);
          const codes = errorCodes.filter((code) => description.includes(`\`${code}\``));
          return html`<li>
            <span class="status">${status}</span> ${codes.map(
              (code) => html`<a href="#error-${code}"><code>${code}</code></a> `,
            )}
          </li>`;
        })}
    </ul>`;
}

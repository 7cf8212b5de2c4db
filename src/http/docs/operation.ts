// One endpoint on the reference page: what it does, the call in three languages, its fields, and its responses with examples.
import { errorCodes } from '#core/errors.ts';
import {
  follow,
  typeOf,
  type OpenapiDocument,
  type Operation,
  type Response,
  type Schema,
} from '#http/docs/document.ts';
import { languages, sampleOf, type Call, type Language } from '#http/docs/samples.ts';
import { table } from '#http/docs/table.ts';
import { html, type Html } from '#http/pages/page.ts';

const endpointOf = (path: string): string => path.slice('/api/v1/'.length);

export const anchorOf = (path: string): string => endpointOf(path).replaceAll('/', '-');

export function showOperation(
  document: OpenapiDocument,
  baseUrl: string,
  path: string,
  { summary, description, requestBody, responses }: Operation,
): Html {
  const id = anchorOf(path);
  const endpoint = endpointOf(path);
  const isBatch = endpoint === 'upload/batch';
  const [[contentType, media] = ['', undefined]] = Object.entries(requestBody?.content ?? {});
  const [example] = contentType === 'application/json' ? Object.values(media?.examples ?? {}) : [];
  const files = { file: isBatch ? ['one.png', 'two.jpg'] : 'photo.png' };
  return html`<section id="${id}">
    <h2>${summary} <a class="anchor" href="#${id}" aria-label="Link to ${summary}">#</a></h2>
    <p class="address"><span class="method">POST</span> <code>${path}</code></p>
    <p>${description}</p>
    <p>
      The body is <code>${contentType}</code>.
      ${!isBatch && html`<a class="try" href="/dashboard/playground?tab=${id}">Open in the playground</a>`}
    </p>
    ${showSamples(id, { baseUrl, endpoint, body: example?.value ?? files })}
    <h3>Fields</h3>
    ${table(
      `Fields: ${summary}`,
      ['Field', 'Type', 'Default', 'Meaning'],
      fieldRows(follow(document, media?.schema ?? {}), ''),
    )}
    <h3>Answers</h3>
    ${Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .map(([status, response]) => showAnswer(status, response))}
    ${showErrors(document, responses)}
  </section>`;
}

/** Radio buttons, so that choosing a language needs no script; all languages are printed on paper. */
export function showSamples(id: string, call: Call): Html {
  const names = Object.keys(languages) as Language[];
  return html`<div class="samples" role="group" aria-label="Example calls">
    ${names.map(
      (name, index) =>
        html`<input
            type="radio"
            name="language-${id}"
            id="${id}-${name}"
            value="${name}"
            ${index === 0 && 'checked'}
          /><label for="${id}-${name}">${languages[name]}</label>`,
    )}
    ${names.map(
      (name) =>
        html`<pre
          class="${name}"
          tabindex="0"
          aria-label="${languages[name]}"
        ><code>${sampleOf(name, call)}</code></pre>`,
    )}
  </div>`;
}

export function fieldRows({ properties = {}, required = [] }: Schema, prefix: string): Html[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const mark = required.includes(name) && html` <span class="required">required</span>`;
    return [
      html`<tr>
        <td><code>${prefix}${name}</code>${mark}</td>
        <td>${typeOf(field)}</td>
        <td>${field.default !== undefined && html`<code>${JSON.stringify(field.default)}</code>`}</td>
        <td>${field.description ?? field.items?.description}</td>
      </tr>`,
      ...fieldRows(field, `${prefix}${name}.`),
      // The fields of `outputs` are those around it.
      ...(isAround(properties, field.items) ? [] : fieldRows(field.items ?? {}, `${prefix}${name}[].`)),
    ];
  });
}

const isAround = (fields: object, { properties = {} }: Schema = {}): boolean =>
  Object.keys(properties).every((name) => name in fields);

export function showAnswer(status: string, response: Response): Html {
  const { 'application/json': json, ...files } = response.content ?? {};
  const bytes = Object.keys(files);
  const [example] = Object.values(json?.examples ?? {});
  return html`<h4><span class="status">${status}</span> ${response.description}</h4>
    ${
      bytes.length > 0 &&
      html`<p>
        The bytes, as <code>${bytes.join(', ')}</code>. With <code>"response": "json"</code> the file is
        hosted, and the answer is:
      </p>`
    }
    ${
      example &&
      html`<pre
        tabindex="0"
        aria-label="${status}: ${example.summary}"
      ><code>${JSON.stringify(example.value, null, 2)}</code></pre>`
    }`;
}

/** Codes as links to their meaning and what to do. */
export function showErrors(document: OpenapiDocument, responses: Operation['responses']): Html {
  return html`<h4>Errors</h4>
    <ul class="errors">
      ${Object.entries(responses)
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

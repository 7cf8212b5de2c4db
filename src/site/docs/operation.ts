// One endpoint on the reference page: what it does, the call, in three languages where the clients have it, its fields, and its responses with
// examples.
import { errorCodes, type Version } from '#core/errors.ts';
import {
  follow,
  typeOf,
  type OpenapiDocument,
  type Operation,
  type Response,
  type Schema,
} from '#site/docs/document.ts';
import {
  keyPlaceholder,
  languages,
  sampleOf,
  shellWord,
  type Call,
  type Language,
} from '#site/docs/samples.ts';
import { table } from '#site/docs/table.ts';
import { html, type Html } from '#site/pages/page.ts';

export interface Endpoint {
  version: Version;
  path: string;
  method: string;
  operation: Operation;
}

/** The endpoints of a version; of version 1 those that need a key: the guides tell of its other addresses. */
export const endpointsOf = ({ paths }: OpenapiDocument, version: Version): Endpoint[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => version === 2 || security === undefined)
      .map(([method, operation]) => ({ version, path, method: method.toUpperCase(), operation })),
  );

export const idOf = ({ version, path, operation }: Endpoint): string =>
  version === 2 ? `v2-${operation.operationId}` : path.replace(/^\/api\/(v1\/)?/, '').replaceAll('/', '-');

/** What the clients have a call for, by operation; a form has the body of its sample here. */
const sampled: Record<string, { endpoint: string; body?: Call['body'] }> = {
  uploadImage: { endpoint: 'upload', body: { file: 'photo.png' } },
  uploadImages: { endpoint: 'upload/batch', body: { file: ['one.png', 'two.jpg'] } },
  captureScreenshot: { endpoint: 'screenshot' },
  renderPdf: { endpoint: 'pdf' },
  createRender: { endpoint: 'render' },
};

export function showOperation(document: OpenapiDocument, baseUrl: string, shown: Endpoint): Html {
  const { path, method, operation } = shown;
  const { operationId, summary, description, requestBody, parameters = [], responses } = operation;
  const id = idOf(shown);
  const { 'application/json': json, 'multipart/form-data': form } = requestBody?.content ?? {};
  // A form is how files are usually sent; its JSON has the same fields.
  const body = operationId === 'createRender' ? json : (form ?? json);
  const [example] = Object.values(body?.examples ?? {});
  const sample = sampled[operationId];
  const fields = body ? follow(document, body.schema) : fieldsOf(parameters);
  return html`<section id="${id}">
    <h2>${summary} <a class="anchor" href="#${id}" aria-label="Link to ${summary}">#</a></h2>
    <p class="address"><span class="method">${method}</span> <code>${path}</code></p>
    <p>${description}</p>
    ${showBody(shown)}
    ${
      sample
        ? showSamples(id, { baseUrl, endpoint: sample.endpoint, body: sample.body ?? example?.value ?? {} })
        : html`<pre
            class="curl"
            tabindex="0"
            aria-label="Example: ${summary}"
          ><code>${curlOf(baseUrl, shown, example?.value, body === json ? 'json' : 'form')}</code></pre>`
    }
    <h3>Fields</h3>
    ${table(`Fields: ${summary}`, ['Field', 'Type', 'Default', 'Meaning'], fieldRows(fields, ''))}
    <h3>Answers</h3>
    ${Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .map(([status, response]) => showAnswer(status, response))}
    ${showErrors(document, responses)}
  </section>`;
}

/** How the body is sent, where there is more to say than its fields. */
function showBody({ version, operation }: Endpoint): Html | false {
  const types = Object.keys(operation.requestBody?.content ?? {});
  const isRender = operation.operationId === 'createRender';
  const tab = sampled[operation.operationId]?.endpoint;
  const playground =
    tab !== undefined &&
    tab !== 'upload/batch' &&
    html`<a class="try" href="/dashboard/playground?tab=${tab}">Open in the playground</a>`;
  if (isRender)
    return html`<p>
      The body is <code>application/json</code>, or <code>multipart/form-data</code> with that JSON as the
      part <code>request</code> and up to 50 parts <code>file</code>, which the document finds under their
      relative names. ${playground}
    </p>`;
  if (types.length === 2)
    return html`<p>
      The body is <code>multipart/form-data</code>, or <code>application/json</code> with the same fields and
      <code>url</code> in place of <code>file</code>: the picture is fetched from there, without following
      redirects.
    </p>`;
  return version === 1 && types.length === 1 && html`<p>The body is <code>${types}</code>. ${playground}</p>`;
}

/** Radio buttons, so that choosing a language needs no script; all languages are printed on paper. */
function showSamples(id: string, call: Call): Html {
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

function fieldRows({ properties = {}, required = [] }: Schema, prefix: string): Html[] {
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

function showAnswer(status: string, response: Response): Html {
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
function showErrors(document: OpenapiDocument, responses: Operation['responses']): Html {
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

/** Those of the path and of the query, as a schema has them. */
const fieldsOf = (parameters: NonNullable<Operation['parameters']>): Schema => ({
  properties: Object.fromEntries(
    parameters.map(({ name, description, schema }) => [name, { description, ...schema }]),
  ),
  required: parameters.filter(({ required }) => required).map(({ name }) => name),
});

function curlOf(
  baseUrl: string,
  { path, method, operation }: Endpoint,
  body: object | undefined,
  kind: 'json' | 'form',
): string {
  const address = baseUrl + path.replace(/\{(\w+)\}/, '<$1>');
  // By default curl sends GET, or POST if there is a body.
  const isSaid = method === 'GET' || (method === 'POST' && body !== undefined);
  const lines = [`curl --fail-with-body ${isSaid ? '' : `-X ${method} `}${shellWord(address)}`];
  if (operation.security?.length !== 0) lines.push(`-H "Authorization: Bearer ${keyPlaceholder}"`);
  if (body && kind === 'form') lines.push(...formWords(body));
  else if (body) lines.push('-H "Content-Type: application/json"', `-d ${shellWord(JSON.stringify(body))}`);
  return lines.join(' \\\n  ');
}

const formWords = (form: object): string[] =>
  Object.entries(form).flatMap(([name, value]) =>
    [value as unknown].flat().map((one) => `-F ${shellWord(`${name}=${String(one)}`)}`),
  );

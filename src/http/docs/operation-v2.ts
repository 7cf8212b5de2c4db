// One endpoint of version 2 on the reference page.
import { follow, type OpenapiDocument, type Operation, type Schema } from '#http/docs/document.ts';
import { fieldRows, showAnswer, showErrors, showSamples } from '#http/docs/operation.ts';
import { keyPlaceholder, shellWord } from '#http/docs/samples.ts';
import { table } from '#http/docs/table.ts';
import { html, type Html } from '#http/pages/page.ts';

export interface Endpoint {
  path: string;
  method: string;
  operation: Operation;
}

/** Of every method. */
export const endpointsOf = ({ paths }: OpenapiDocument): Endpoint[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

export const idOf = ({ operation }: Endpoint): string => `v2-${operation.operationId}`;

export function showEndpoint(document: OpenapiDocument, baseUrl: string, endpoint: Endpoint): Html {
  const { path, method, operation } = endpoint;
  const { summary, description, requestBody, parameters = [], responses } = operation;
  const id = idOf(endpoint);
  const { 'application/json': json, 'multipart/form-data': form } = requestBody?.content ?? {};
  const isRender = operation.operationId === 'createRender';
  // A form is how files are usually sent; its JSON has the same fields.
  const body = isRender ? json : (form ?? json);
  const [example] = Object.values(body?.examples ?? {});
  const fields = body ? follow(document, body.schema) : fieldsOf(parameters);
  return html`<section id="${id}">
    <h2>${summary} <a class="anchor" href="#${id}" aria-label="Link to ${summary}">#</a></h2>
    <p class="address"><span class="method">${method}</span> <code>${path}</code></p>
    <p>${description}</p>
    ${
      isRender &&
      html`<p>
        The body is <code>application/json</code>, or <code>multipart/form-data</code> with that JSON as the
        part <code>request</code> and up to 50 parts <code>file</code>, which the document finds under their
        relative names. <a class="try" href="/dashboard/playground?tab=render">Open in the playground</a>
      </p>`
    }
    ${
      json &&
      form &&
      !isRender &&
      html`<p>
        The body is <code>multipart/form-data</code>, or <code>application/json</code> with the same fields
        and <code>url</code> in place of <code>file</code>: the picture is fetched from there, without
        following redirects.
      </p>`
    }
    ${
      example && isRender
        ? showSamples(id, { baseUrl, endpoint: 'render', body: example.value })
        : html`<pre
            class="curl"
            tabindex="0"
            aria-label="Example: ${summary}"
          ><code>${curlOf(baseUrl, endpoint, example?.value, body === json ? 'json' : 'form')}</code></pre>`
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
  // curl itself says GET, or POST if there is a body.
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

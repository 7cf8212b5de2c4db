// GET /openapi.json, and GET /docs: the same document for people.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { html, pageHeaders, pageMarkup, pageType, type Html } from '#http/hosted/page.ts';
import { buildOpenapi } from '#http/openapi.ts';
import { createStaticFile, sendStaticFile } from '#http/static-files.ts';

interface Schema {
  $ref?: string;
  type?: string;
  enum?: string[];
  items?: Schema;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  description?: string;
}

interface Operation {
  summary: string;
  requestBody: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { description: string; content: Record<string, { schema: Schema }> }>;
}

interface Document {
  info: { title: string; version: string; description: string };
  paths: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Schema> };
}

export function openapiJson({ baseUrl }: { baseUrl: string }) {
  const bytes = Buffer.from(JSON.stringify(buildOpenapi(baseUrl)));
  const file = createStaticFile('application/json; charset=utf-8', bytes);
  return async (request: FastifyRequest, reply: FastifyReply) =>
    sendStaticFile(request, reply.header('access-control-allow-origin', '*'), file);
}

export function docsPage({ baseUrl }: { baseUrl: string }) {
  const document = buildOpenapi(baseUrl) as unknown as Document;
  const page = { title: 'API reference', body: describe(document, baseUrl) };
  const file = createStaticFile(pageType, Buffer.from(pageMarkup(page)));
  return async (request: FastifyRequest, reply: FastifyReply) =>
    sendStaticFile(request, reply.headers(pageHeaders(page)), file);
}

function describe(document: Document, baseUrl: string): Html {
  return html`<main class="docs">
    <h1>API reference</h1>
    <p>${document.info.description}</p>
    <p>
      Version ${document.info.version}, also as <a href="/openapi.json">OpenAPI 3.1</a>. Every request carries
      <code>Authorization: Bearer &lt;API_KEY&gt;</code>; every error is
      <code>{"error": {"code", "message"}}</code>.
    </p>
    ${Object.entries(document.paths).map(([path, { post }]) => describeOperation(document, baseUrl, path, post))}
  </main>`;
}

function describeOperation(document: Document, baseUrl: string, path: string, operation: Operation): Html {
  const [contentType = '', { schema } = { schema: {} }] =
    Object.entries(operation.requestBody.content)[0] ?? [];
  return html`<section id="${path.slice('/api/v1/'.length).replace('/', '-')}">
    <h2><span class="method">POST</span> <code>${path}</code></h2>
    <p>${operation.summary}. The body is <code>${contentType}</code>.</p>
    <pre tabindex="0" aria-label="Example"><code>${example(baseUrl, path, contentType)}</code></pre>
    <h3>Fields</h3>
    <div class="scroll" tabindex="0" role="region" aria-label="Fields of ${path}">
      <table>
        <thead>
          <tr>
            <th>Field</th>
            <th>Type</th>
            <th>Default</th>
            <th>Meaning</th>
          </tr>
        </thead>
        <tbody>
          ${fieldRows(document, schema, '')}
        </tbody>
      </table>
    </div>
    <h3>Answers</h3>
    <div class="scroll" tabindex="0" role="region" aria-label="Answers of ${path}">
      <table>
        <tbody>
          ${Object.entries(operation.responses).map(
            ([status, { description }]) =>
              html`<tr>
                <td>${status}</td>
                <td>${description.replaceAll('`', '')}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}

function fieldRows(document: Document, given: Schema, prefix: string): Html[] {
  const schema = resolve(document, given);
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    html`<tr>
      <td>
        <code>${prefix}${name}</code
        >${schema.required?.includes(name) === true && html` <span class="quiet">required</span>`}
      </td>
      <td>${typeOf(property)}</td>
      <td>${property.default !== undefined && html`<code>${JSON.stringify(property.default)}</code>`}</td>
      <td>${property.items?.description ?? property.description}</td>
    </tr>`,
    ...(property.properties ? fieldRows(document, property, `${prefix}${name}.`) : []),
  ]);
}

function typeOf({ type, enum: choices, anyOf, items, minimum, maximum }: Schema): string {
  if (choices) return choices.join(' | ');
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (items) return 'file, repeated';
  const range = minimum !== undefined && maximum !== undefined ? `, ${minimum} to ${maximum}` : '';
  return `${type ?? ''}${range}`;
}

function resolve(document: Document, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return (name === undefined ? schema : document.components.schemas[name]) ?? {};
}

function example(baseUrl: string, path: string, contentType: string): string {
  const start = `curl ${baseUrl}${path} -H "Authorization: Bearer $API_KEY"`;
  if (contentType === 'application/json') {
    const output = path.endsWith('/pdf') ? 'page.pdf' : 'page.png';
    return `${start} \\\n  -H "Content-Type: application/json" -d '{"url": "https://example.com"}' -o ${output}`;
  }
  return path.endsWith('/batch')
    ? `${start} \\\n  -F file=@one.png -F file=@two.jpg`
    : `${start} -F file=@photo.png`;
}

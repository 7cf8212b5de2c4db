// GET /openapi.json and /openapi-v2.json, and GET /docs: the same documents for people. It works without script and on paper; script adds search and
// copy buttons.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Plan } from '#accounts/plans.ts';
import { assetUrl } from '#http/pages/assets.ts';
import type { OpenapiDocument } from '#http/docs/document.ts';
import { guidesOf, type Guide } from '#http/docs/guides.ts';
import { anchorOf, showOperation } from '#http/docs/operation.ts';
import { endpointsOf, idOf, showEndpoint } from '#http/docs/operation-v2.ts';
import { html, pageHeaders, pageMarkup, pageType, type Html } from '#http/pages/page.ts';
import { buildOpenapi } from '#http/openapi/document.ts';
import { buildOpenapiV2 } from '#http/openapi/document-v2.ts';
import { createStaticFile, sendStaticFile } from '#http/pages/static-files.ts';

export const openapiJson = ({ baseUrl }: { baseUrl: string }) => sendDocument(buildOpenapi(baseUrl));
export const openapiV2Json = ({ baseUrl }: { baseUrl: string }) => sendDocument(buildOpenapiV2(baseUrl));

function sendDocument(document: object) {
  const bytes = Buffer.from(JSON.stringify(document));
  const file = createStaticFile('application/json; charset=utf-8', bytes);
  return async (request: FastifyRequest, reply: FastifyReply) =>
    sendStaticFile(request, reply.header('access-control-allow-origin', '*'), file);
}

export function docsPage({ baseUrl, plans }: { baseUrl: string; plans: Plan[] }) {
  const document = buildOpenapi(baseUrl) as unknown as OpenapiDocument;
  const second = buildOpenapiV2(baseUrl) as unknown as OpenapiDocument;
  const page = {
    title: 'API reference',
    head: html`<link rel="stylesheet" href="${assetUrl('docs.css')}" />`,
    body: describe(document, second, baseUrl, plans),
    scripts: ['docs.js'],
  };
  const file = createStaticFile(pageType, Buffer.from(pageMarkup(page)));
  return async (request: FastifyRequest, reply: FastifyReply) =>
    sendStaticFile(request, reply.headers(pageHeaders(page)), file);
}

function describe(document: OpenapiDocument, second: OpenapiDocument, baseUrl: string, plans: Plan[]): Html {
  const endpoints = endpointsOf(second);
  const guides = guidesOf(baseUrl, plans);
  const [first, ...rest] = guides;
  const operations = Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/api/v1/'))
    .flatMap(([path, { post }]) => (post ? [{ path, operation: post }] : []));
  return html`<div class="docs">
    <nav class="contents" aria-label="Contents">
      <p class="search" hidden>
        <label for="docs-search">Search the reference</label>
        <input id="docs-search" type="search" placeholder="Search" autocomplete="off" />
      </p>
      <p class="group">Start</p>
      <ul>
        ${first && entry(first.id, first.title)}
      </ul>
      <p class="group">Version 1</p>
      <ul>
        ${operations.map(({ path, operation }) => entry(anchorOf(path), operation.summary))}
      </ul>
      <p class="group">Version 2</p>
      <ul>
        ${endpoints.map((endpoint) => entry(idOf(endpoint), endpoint.operation.summary))}
      </ul>
      <p class="group">What holds for all</p>
      <ul>
        ${rest.map(({ id, title }) => entry(id, title))}
      </ul>
      <p class="group">Elsewhere</p>
      <ul>
        <li><a href="/dashboard">Dashboard</a></li>
        <li><a href="/dashboard/integrations">Integrations</a></li>
        <li><a href="/openapi.json">OpenAPI 3.1, version 1</a></li>
        <li><a href="/openapi-v2.json">OpenAPI 3.1, version 2</a></li>
      </ul>
    </nav>
    <main id="content">
      <h1>API reference</h1>
      <p class="lead">${document.info.description}</p>
      <p class="quiet">
        Versions ${document.info.version} and ${second.info.version}, side by side, with the same keys, budget
        and quota. Base address <code>${baseUrl}</code>. The same for programs:
        <a href="/openapi.json">version 1</a> and <a href="/openapi-v2.json">version 2</a> as OpenAPI 3.1.
      </p>
      <p id="docs-found" class="quiet" role="status"></p>
      ${first && showGuide(first)}
      ${operations.map(({ path, operation }) => showOperation(document, baseUrl, path, operation))}
      ${endpoints.map((endpoint) => showEndpoint(second, baseUrl, endpoint))} ${rest.map(showGuide)}
    </main>
  </div>`;
}

const entry = (id: string, title: string): Html => html`<li><a href="#${id}">${title}</a></li>`;

const showGuide = ({ id, title, body }: Guide): Html =>
  html`<section id="${id}">
    <h2>${title} <a class="anchor" href="#${id}" aria-label="Link to ${title}">#</a></h2>
    ${body}
  </section>`;

// GET /openapi.json, and GET /docs: the same document for people. It works without script and on paper; script adds search and
// copy buttons.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Plan } from '#accounts/plans.ts';
import { assetUrl } from '#http/pages/assets.ts';
import type { OpenapiDocument } from '#http/docs/document.ts';
import { guidesOf, type Guide } from '#http/docs/guides.ts';
import { anchorOf, showOperation } from '#http/docs/operation.ts';
import { html, pageHeaders, pageMarkup, pageType, type Html } from '#http/pages/page.ts';
import { buildOpenapi } from '#http/openapi/document.ts';
import { createStaticFile, sendStaticFile } from '#http/pages/static-files.ts';

export function openapiJson({ baseUrl }: { baseUrl: string }) {
  const bytes = Buffer.from(JSON.stringify(buildOpenapi(baseUrl)));
  const file = createStaticFile('application/json; charset=utf-8', bytes);
  return async (request: FastifyRequest, reply: FastifyReply) =>
    sendStaticFile(request, reply.header('access-control-allow-origin', '*'), file);
}

export function docsPage({ baseUrl, plans }: { baseUrl: string; plans: Plan[] }) {
  const document = buildOpenapi(baseUrl) as unknown as OpenapiDocument;
  const page = {
    title: 'API reference',
    head: html`<link rel="stylesheet" href="${assetUrl('docs.css')}" />`,
    body: describe(document, baseUrl, plans),
    script: 'docs.js',
  };
  const file = createStaticFile(pageType, Buffer.from(pageMarkup(page)));
  return async (request: FastifyRequest, reply: FastifyReply) =>
    sendStaticFile(request, reply.headers(pageHeaders(page)), file);
}

function describe(document: OpenapiDocument, baseUrl: string, plans: Plan[]): Html {
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
      <p class="group">Endpoints</p>
      <ul>
        ${operations.map(({ path, operation }) => entry(anchorOf(path), operation.summary))}
      </ul>
      <p class="group">What holds for all</p>
      <ul>
        ${rest.map(({ id, title }) => entry(id, title))}
      </ul>
      <p class="group">Elsewhere</p>
      <ul>
        <li><a href="/dashboard">Dashboard</a></li>
        <li><a href="/dashboard/integrations">Integrations</a></li>
        <li><a href="/openapi.json">OpenAPI 3.1</a></li>
      </ul>
    </nav>
    <main id="content">
      <h1>API reference</h1>
      <p class="lead">${document.info.description}</p>
      <p class="quiet">
        Version ${document.info.version}. Base address <code>${baseUrl}</code>. The same as
        <a href="/openapi.json">OpenAPI 3.1</a>, for programs.
      </p>
      <p id="docs-found" class="quiet" role="status"></p>
      ${first && showGuide(first)}
      ${operations.map(({ path, operation }) => showOperation(document, baseUrl, path, operation))}
      ${rest.map(showGuide)}
    </main>
  </div>`;
}

const entry = (id: string, title: string): Html => html`<li><a href="#${id}">${title}</a></li>`;

const showGuide = ({ id, title, body }: Guide): Html =>
  html`<section id="${id}">
    <h2>${title} <a class="anchor" href="#${id}" aria-label="Link to ${title}">#</a></h2>
    ${body}
  </section>`;

// GET /openapi.json and /openapi-v2.json; GET /docs: the same documents for people, after the index of the pages of docs/, which are below
// it. They work without script and on paper; script adds search and copy buttons.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound, type Version } from '#core/errors.ts';
import type { Plan } from '#accounts/plans.ts';
import { assetUrl } from '#site/pages/assets.ts';
import type { OpenapiDocument } from '#site/docs/document.ts';
import { guidesOf } from '#site/docs/guides.ts';
import { readHandbook, urlOf, type Found, type Handbook } from '#site/docs/handbook.ts';
import { endpointsOf, idOf, showOperation } from '#site/docs/operation.ts';
import {
  html,
  pageHeaders,
  pageMarkup,
  pageType,
  sendGonePage,
  wantsHtml,
  type Html,
} from '#site/pages/page.ts';
import { buildOpenapi } from '#site/openapi/document.ts';
import { createStaticFile, sendStaticFile, type StaticFile } from '#site/pages/static-files.ts';

export const openapiJson = ({ baseUrl }: { baseUrl: string }) => sendDocument(buildOpenapi(baseUrl));
export const openapiV2Json = ({ baseUrl }: { baseUrl: string }) => sendDocument(buildOpenapi(baseUrl, 2));

function sendDocument(document: object) {
  const bytes = Buffer.from(JSON.stringify(document));
  const file = createStaticFile('application/json; charset=utf-8', bytes);
  return async (request: FastifyRequest, reply: FastifyReply) =>
    sendStaticFile(request, reply.header('access-control-allow-origin', '*'), file);
}

export function docsPages(parts: { baseUrl: string; readPlans: () => Promise<Plan[]> }) {
  const { baseUrl, readPlans } = parts;
  // Made with the first request: a start does not wait for it.
  let handbook: Promise<Handbook> | undefined;
  let pages: Map<string, Served> | undefined;
  let reference: { plans: string; pages: Map<string, Served> } | undefined;

  /** The pages that show the plans are made anew when one has changed. */
  async function referencePages(): Promise<Map<string, Served>> {
    const plans = await readPlans();
    const text = JSON.stringify(plans);
    if (reference?.plans !== text)
      reference = { plans: text, pages: makeReference(await book(), baseUrl, plans) };
    return reference.pages;
  }
  const book = () => (handbook ??= readHandbook());

  return async (request: FastifyRequest, reply: FastifyReply) => {
    const path = new URL(request.url, baseUrl).pathname;
    pages ??= makePages(await book());
    const served = pages.get(path) ?? (await referencePages()).get(path);
    if (!served) return wantsHtml(request) ? sendGonePage(reply) : Promise.reject(notFound());
    return sendStaticFile(request, reply.headers(served.headers), served.file);
  };
}

/** With a slash at its end. */
export const toDocs = async (_request: FastifyRequest, reply: FastifyReply) => reply.redirect('/docs', 308);

interface Served {
  headers: Record<string, string>;
  file: StaticFile;
}

function makePages(handbook: Handbook): Map<string, Served> {
  const pages = new Map<string, Served>();
  for (const { path, title, markup } of [...pagesOf(handbook), ...handbook.decisions])
    pages.set(
      urlOf(path),
      serve(title, withContents(handbook, urlOf(path), html`<article>${{ markup }}</article>`)),
    );
  for (const [name, file] of handbook.pictures) pages.set(`/docs/pictures/${name}`, { headers: {}, file });
  return pages;
}

const pagesOf = ({ groups }: Handbook) => groups.flatMap(({ pages }) => pages);

/** The overview and what the search finds. */
function makeReference(handbook: Handbook, baseUrl: string, plans: Plan[]): Map<string, Served> {
  const reference = describe(baseUrl, plans);
  const found: Found[] = [...pagesOf(handbook).flatMap(({ sections }) => sections), ...reference.found];
  const overview = html`${handbook.index && html`<article>${{ markup: handbook.index.markup }}</article>`}${reference.body}`;
  const search = Buffer.from(JSON.stringify(found));
  return new Map([
    ['/docs', serve('Documentation', withContents(handbook, '/docs', overview, reference.links))],
    ['/docs/search.json', { headers: {}, file: createStaticFile('application/json; charset=utf-8', search) }],
  ]);
}

function serve(title: string, body: Html): Served {
  const page = {
    title,
    head: html`<link rel="stylesheet" href="${assetUrl('docs.css')}" />`,
    body,
    scripts: ['copy-code.js', 'docs.js'],
    isSending: true,
  };
  return { headers: pageHeaders(page), file: createStaticFile(pageType, Buffer.from(pageMarkup(page))) };
}

function withContents({ groups }: Handbook, current: string, body: Html, links?: Html): Html {
  const link = (url: string, title: string): Html =>
    html`<li><a href="${url}" ${url === current && html`aria-current="page"`}>${title}</a></li>`;
  return html`<div class="docs">
    <nav class="contents" aria-label="Contents">
      <p class="search" hidden>
        <label for="docs-search">Search the documentation</label>
        <input id="docs-search" type="search" placeholder="Search" autocomplete="off" />
      </p>
      <details open>
        <summary>Contents</summary>
        <ul>
          ${link('/docs', 'Overview and API reference')}
        </ul>
        ${links}
        ${groups.map(
          ({ title, pages }) =>
            html`<p class="group">${title}</p>
              <ul>
                ${pages.map((page) => link(urlOf(page.path), page.title))}
              </ul>`,
        )}
        <p class="group">Elsewhere</p>
        <ul>
          ${link('/dashboard', 'Dashboard')} ${link('/dashboard/integrations', 'Integrations')}
          ${link('/openapi.json', 'OpenAPI 3.1, version 1')}
          ${link('/openapi-v2.json', 'OpenAPI 3.1, version 2')}
        </ul>
      </details>
    </nav>
    <main id="content">
      <div id="docs-found" role="status" hidden></div>
      <div id="docs-page">${body}</div>
    </main>
  </div>`;
}

/** The reference, the links to its sections, and what the search finds of them. */
function describe(baseUrl: string, plans: Plan[]): { body: Html; links: Html; found: Found[] } {
  const document = buildOpenapi(baseUrl) as unknown as OpenapiDocument;
  const second = buildOpenapi(baseUrl, 2) as unknown as OpenapiDocument;
  const guides = guidesOf(baseUrl, plans).map(({ id, title, body }) => ({
    id,
    title,
    section: showGuide(id, title, body),
  }));
  const sectionsOf = (shown: OpenapiDocument, version: Version) =>
    endpointsOf(shown, version).map((endpoint) => ({
      id: idOf(endpoint),
      title: endpoint.operation.summary,
      section: showOperation(shown, baseUrl, endpoint),
    }));
  const groups = [
    { title: 'Version 1', sections: sectionsOf(document, 1) },
    { title: 'Version 2', sections: sectionsOf(second, 2) },
    { title: 'Both versions', sections: guides },
  ];
  const body = html`<h2 id="api-reference">API reference</h2>
    <p class="lead">${document.info.description}</p>
    <p class="quiet">
      Versions ${document.info.version} and ${second.info.version}, with the same keys, budget and quota. Base
      address <code>${baseUrl}</code>. For programs: <a href="/openapi.json">version 1</a> and
      <a href="/openapi-v2.json">version 2</a> as OpenAPI 3.1.
    </p>
    ${groups.flatMap(({ sections }) => sections.map(({ section }) => section))}`;
  const links = html`${groups.map(
    ({ title, sections }) =>
      html`<p class="group">${title}</p>
        <ul>
          ${sections.map((section) => html`<li><a href="#${section.id}">${section.title}</a></li>`)}
        </ul>`,
  )}`;
  const found = groups.flatMap(({ title: group, sections }) =>
    sections.map(({ id, title, section }) => ({
      url: `/docs#${id}`,
      page: `API reference, ${group.toLowerCase()}`,
      title,
      text: textOfMarkup(section),
    })),
  );
  return { body, links, found };
}

const textOfMarkup = ({ markup }: Html): string =>
  markup
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll(/\s+/g, ' ')
    .trim();

const showGuide = (id: string, title: string, body: Html): Html =>
  html`<section id="${id}">
    <h2>${title} <a class="anchor" href="#${id}" aria-label="Link to ${title}">#</a></h2>
    ${body}
  </section>`;

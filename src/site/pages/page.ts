// The frame of every server-rendered page: escaping, the head, the style, and the headers that block foreign code.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { assetUrl } from '#site/pages/assets.ts';

/** Markup that is safe to put into a page. */
export interface Html {
  readonly markup: string;
}

type Insertable = string | number | boolean | null | undefined | Html | Insertable[];

/** Escapes every value that is not itself Html; arrays are joined. */
export function html(parts: TemplateStringsArray, ...values: Insertable[]): Html {
  return { markup: parts.reduce((text, part, index) => text + insert(values[index - 1]) + part) };
}

function insert(value: Insertable): string {
  if (value === undefined || value === null || typeof value === 'boolean') return '';
  if (Array.isArray(value)) return value.map(insert).join('');
  if (typeof value === 'object') return value.markup;
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export interface Page {
  title: string;
  head?: Html;
  body: Html;
  scripts?: string[];
  /** Links in its header. */
  links?: [href: string, text: string][];
  /** Other hosts that its pictures come from. */
  pictureOrigins?: string[];
  /** Whether its script sends requests to this service. */
  isSending?: boolean;
}

/** True for a person with a browser, as far as the request shows. */
export function wantsHtml(request: FastifyRequest): boolean {
  return (request.headers.accept ?? '').toLowerCase().includes('text/html');
}

export const pageType = 'text/html; charset=utf-8';

export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  return reply.headers(pageHeaders(page)).type(pageType).send(pageMarkup(page));
}

export const pageHeaders = ({ pictureOrigins = [], isSending = false }: Page): Record<string, string> => ({
  'content-security-policy':
    `default-src 'none'; img-src ${["'self'", 'data:', ...pictureOrigins].join(' ')}; ` +
    "style-src 'self'; font-src 'self'; script-src 'self'; " +
    (isSending ? "connect-src 'self'; " : '') +
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
  'referrer-policy': 'no-referrer',
});

export const pageMarkup = (page: Page): string => render(page).markup.trimStart();

/** Shown for everything that does not resolve: unknown, deleted and expired look the same. */
export function sendGonePage(reply: FastifyReply): FastifyReply {
  return sendPage(reply.code(404).header('cache-control', 'no-store'), {
    title: 'Nothing here',
    body: html`<main class="card">
      <img class="plate" src="${assetUrl('plate.svg')}" alt="" width="320" height="260" />
      <h1>Nothing here</h1>
      <p>This link does not lead anywhere. It may have expired, been deleted, or never have existed.</p>
      <p><a href="/">Go to the start page</a></p>
    </main>`,
  });
}

function render({ title, head, body, scripts = [], links = [] }: Page): Html {
  return html`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Tintype</title>
        <link rel="icon" href="${assetUrl('icon.svg')}" type="image/svg+xml" />
        <script src="${assetUrl('theme.js')}"></script>
        <link rel="stylesheet" href="${assetUrl('tokens.css')}" />
        <link rel="stylesheet" href="${assetUrl('pages.css')}" />
        ${head}
      </head>
      <body>
        <header class="top">
          <a class="mark" href="/"
            ><img src="${assetUrl('icon.svg')}" alt="" width="22" height="22" />Tintype</a
          >
          ${
            links.length > 0 &&
            html`<nav aria-label="Pages">
              ${links.map(([href, text]) => html`<a href="${href}">${text}</a>`)}
            </nav>`
          }
        </header>
        ${body} ${scripts.map((name) => html`<script src="${assetUrl(name)}" type="module"></script>`)}
      </body>
    </html>
  `;
}

// GET /i/<slug>: the page that shows an upload, or a picture or PDF of a render, to people and describes it to chats. Spec 2.1; v2 2.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '#core/errors.ts';
import type { Clock } from '#core/clock.ts';
import { maxPicturePixels } from '#browser/picture-job.ts';
import { isDecoded, maxOriginalBytes, type VariantWidth } from '#uploads/pictures/variant.ts';
import { askVisitor } from '#site/hosted/ask-visitor.ts';
import { notStored } from '#site/hosted/send-blob.ts';
import { createSharedFiles, type SharedFile, type SharedFileParts } from '#site/hosted/shared-file.ts';
import { ticketInCookie } from '#site/hosted/tickets.ts';
import { sharePath, type Addresses } from '#http/addresses.ts';
import { html, sendPage, type Html } from '#site/pages/page.ts';

interface SharePageParts extends SharedFileParts {
  clock: Clock;
  settings: Addresses & { pictureOrigins: string[] };
}

export function sharePage(parts: SharePageParts) {
  const { clock, settings } = parts;
  const find = createSharedFiles(parts);
  const ask = askVisitor(parts.uploads.hostedUploads);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { slug } = request.params as { slug: string };
    const file = await find(slug, ticketInCookie(request));
    if (!file) return ask(request, reply);
    // Not cached: the page is small and needs one look-up, so it is gone as soon as the file is.
    reply.header('cache-control', file.isGuarded ? notStored : 'no-cache');
    const page = describe(file, settings, clock.now());
    return sendPage(reply, { ...page, pictureOrigins: settings.pictureOrigins });
  };
}

/** GET /oembed?url=…: the same data for programs that embed. */
export function oembed(parts: SharedFileParts) {
  const { baseUrl } = parts.settings;
  const find = createSharedFiles(parts);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    // A parameter given twice is a list, and matches nothing.
    const { url, format = 'json' } = request.query as Record<string, string | string[] | undefined>;
    const pages = baseUrl + sharePath('');
    const slug = typeof url === 'string' && url.startsWith(pages) ? url.slice(pages.length) : '';
    const file = await find(slug);
    if (!file || format !== 'json') throw notFound();
    return reply.header('access-control-allow-origin', '*').send({
      version: '1.0',
      type: file.width === null ? 'link' : 'photo',
      title: file.title,
      provider_name: 'Tintype',
      provider_url: baseUrl,
      url: file.fileUrl,
      ...(file.width !== null && { width: file.width, height: file.height }),
    });
  };
}

function describe(file: SharedFile, { baseUrl }: { baseUrl: string }, now: number) {
  const { title, filename, pageUrl, fileUrl, fileLink, isPicture, pages } = file;
  const size = file.width === null ? undefined : { width: file.width, height: file.height };
  const dimensions = size && `${size.width} × ${size.height}`;
  const pageCount = pages === null ? undefined : `${pages} ${pages === 1 ? 'page' : 'pages'}`;
  const summary = [file.typeName, dimensions, pageCount, readableSize(file.sizeBytes)]
    .filter(Boolean)
    .join(' · ');

  const body = html`<main class="share">
    ${isPicture ? pictureStage(file) : documentStage(file, pageCount)}
    <aside class="details">
      <h1 dir="auto">${title}</h1>
      <p class="quiet">${summary}</p>
      <nav class="actions">
        <a class="button primary" href="${fileLink('download=1')}" download="${filename}">Download</a>
        <a class="button" href="${fileLink()}">Open original</a>
        ${
          isPicture &&
          html`<label class="button" for="zoom"
            ><span class="to-full">Actual size</span><span class="to-fit">Fit to window</span></label
          >`
        }
        <button class="button" type="button" data-share hidden>Share…</button>
      </nav>
      <dl>
        <div>
          <dt>Type</dt>
          <dd>${file.contentType}</dd>
        </div>
        ${
          dimensions &&
          html`<div>
            <dt>Dimensions</dt>
            <dd>${dimensions} px</dd>
          </div>`
        }
        ${
          pageCount !== undefined &&
          html`<div>
            <dt>Pages</dt>
            <dd>${pages}</dd>
          </div>`
        }
        <div>
          <dt>Size</dt>
          <dd>${readableSize(file.sizeBytes)}</dd>
        </div>
        <div>
          <dt>${file.origin}</dt>
          <dd>${time(file.createdAt)}</dd>
        </div>
        <div>
          <dt>Expires</dt>
          <dd>
            ${
              file.expiresAt === null
                ? 'never'
                : html`${time(file.expiresAt)}
                    <span class="quiet">(${remaining(file.expiresAt - now)})</span>`
            }
          </dd>
        </div>
      </dl>
      <h2>Share</h2>
      ${copyRow('Page link', pageUrl)}
      ${
        !file.isGuarded &&
        html`${copyRow('Direct link', fileUrl)} ${isPicture ? pictureCode(file) : documentCode(file)}`
      }
    </aside>
  </main>`;
  return {
    title,
    ...(!file.isGuarded && { head: headOf(file, baseUrl, summary) }),
    body,
    scripts: ['share.js'],
  };
}

/** How the page looks where its link is shared. */
function headOf({ title, pageUrl, preview }: SharedFile, baseUrl: string, summary: string): Html {
  return html`<link rel="canonical" href="${pageUrl}" />
    <meta property="og:site_name" content="Tintype" />
    <meta property="og:type" content="website" />
    <meta property="og:title" content="${title}" />
    <meta property="og:description" content="${summary}" />
    <meta property="og:url" content="${pageUrl}" />
    ${
      preview &&
      html`<meta property="og:image" content="${preview.url}" />
        <meta property="og:image:type" content="${preview.contentType}" />
        <meta property="og:image:alt" content="${title}" />
        <meta name="twitter:image" content="${preview.url}" />`
    }
    ${
      preview?.size &&
      html`<meta property="og:image:width" content="${preview.size.width}" />
        <meta property="og:image:height" content="${preview.size.height}" />`
    }
    <meta name="twitter:card" content="${preview ? 'summary_large_image' : 'summary'}" />
    <meta name="twitter:title" content="${title}" />
    <meta name="twitter:description" content="${summary}" />
    <link
      rel="alternate"
      type="application/json+oembed"
      href="${baseUrl}/oembed?format=json&url=${encodeURIComponent(pageUrl)}"
      title="${title}"
    />`;
}

function pictureStage(file: SharedFile): Html {
  const { title, fileLink, width, height } = file;
  const size = width !== null && html` width="${width}" height="${height}"`;
  const candidates = candidatesOf(file);
  // The second one is loaded when it is shown, at full size. Browsers without script load it at once.
  const images =
    candidates === undefined
      ? html`<img class="picture" src="${fileLink()}" alt="${title}" ${size} />`
      : html`<img
            class="picture fitted"
            src="${fileLink()}"
            srcset="${candidates}"
            sizes="min(100vw, ${((100 * width!) / height!).toFixed(2)}vh)"
            alt="${title}"
            ${size}
          /><img class="picture actual" src="${fileLink()}" loading="lazy" alt="${title}" ${size} />`;
  return html`<section class="stage">
    <input class="zoom" type="checkbox" id="zoom" aria-label="Show at full size" />
    <div class="frame"><label for="zoom">${images}</label></div>
  </section>`;
}

/** A smaller file is shown as it is: nobody waits for it, and it is as sharp as it was. */
export const largeBytes = 512 * 1024;
const windowWidths = [640, 1280, 1920, 2560] satisfies VariantWidth[];

/** Variants for windows of every size; undefined for a picture that is shown as it is. */
export function candidatesOf(
  { fileLink, contentType, sizeBytes, width, height }: SharedFile,
  offeredWidths: readonly VariantWidth[] = windowWidths,
  smallBytes = largeBytes,
): string | undefined {
  const isWorthIt = isDecoded(contentType) && sizeBytes > smallBytes && sizeBytes <= maxOriginalBytes;
  if (!isWorthIt || width === null || height === null || width * height > maxPicturePixels) return undefined;
  // The first one that is not smaller is the picture in its own width.
  const last = offeredWidths.findIndex((offered) => offered >= width);
  return offeredWidths
    .slice(0, last === -1 ? undefined : last + 1)
    .map((offered) => `${fileLink(`width=${offered}`)} ${Math.min(offered, width)}w`)
    .join(', ');
}

/** The browser's own viewer opens it; on this page nothing of it runs. */
const documentStage = ({ fileLink, typeName }: SharedFile, pageCount: string | undefined): Html =>
  html`<section class="stage">
    <div class="frame">
      <a class="document" href="${fileLink()}"><strong>${typeName}</strong>${pageCount}</a>
    </div>
  </section>`;

const pictureCode = ({ title, pageUrl, fileUrl }: SharedFile): Html =>
  html`${copyRow('Markdown', `[![${markdownText(title)}](${fileUrl})](${pageUrl})`)}
  ${copyRow('HTML', html`<a href="${pageUrl}"><img src="${fileUrl}" alt="${title}" /></a>`.markup)}
  ${copyRow('BBCode', `[url=${pageUrl}][img]${fileUrl}[/img][/url]`)}`;

const documentCode = ({ title, pageUrl }: SharedFile): Html =>
  html`${copyRow('Markdown', `[${markdownText(title)}](${pageUrl})`)}
  ${copyRow('HTML', html`<a href="${pageUrl}">${title}</a>`.markup)}
  ${copyRow('BBCode', `[url=${pageUrl}]${title.replace(/[[\]]/g, ' ')}[/url]`)}`;

/** Readable and selectable without script; the button needs script. */
export function copyRow(label: string, text: string): Html {
  const id = `copy-${label.toLowerCase().replace(' ', '-')}`;
  return html`<div class="copy">
    <label for="${id}">${label}</label><input id="${id}" readonly value="${text}" /><button
      type="button"
      hidden
      data-copy="${id}"
    >
      Copy
    </button>
  </div>`;
}

const markdownText = (text: string): string => text.replace(/[\\[\]]/g, '\\$&');

export function time(at: number): Html {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

/** Rounded as in the dashboard: slightly less than a day is a day. */
export function remaining(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const [unit, size] = steps.find(([, length]) => seconds >= length * 0.99) ?? ['second', 1];
  return unit === 'second' ? 'in less than a minute' : relative.format(Math.round(seconds / size), unit);
}

export function readableSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KB`;
  return `${(bytes / (1024 * 1024)).toFixed(1)} MB`;
}

// GET /i/<slug>: the page that shows an upload to people and describes it to chats. Spec 2.1.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '#core/errors.ts';
import type { UploadRow } from '#storage/schema.ts';
import { imageNames, type ImageType } from '#uploads/image-types.ts';
import { filePath, sharePath, uploadLinks, type Addresses } from '#http/links.ts';
import { html, sendPage, type Html } from '#http/pages/page.ts';
import { answerNotFound } from '#http/not-found.ts';
import type { RouteParts } from '#http/parts.ts';

export function sharePage({ clock, settings, uploads: { hostedUploads } }: RouteParts) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { slug } = request.params as { slug: string };
    const upload = await hostedUploads.bySlug(slug);
    if (!upload) return answerNotFound(request, reply);
    // Not cached: the page is small and needs one look-up, so it is gone as soon as the upload is.
    reply.header('cache-control', 'no-cache');
    const page = describe(upload, settings, clock.now());
    return sendPage(reply, { ...page, pictureOrigins: settings.pictureOrigins });
  };
}

/** GET /oembed?url=…: the same data for programs that embed. */
export function oembed({ settings, uploads: { hostedUploads } }: RouteParts) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    // A parameter given twice is a list, and matches nothing.
    const { url, format = 'json' } = request.query as Record<string, string | string[] | undefined>;
    const pages = settings.baseUrl + sharePath('');
    const slug = typeof url === 'string' && url.startsWith(pages) ? url.slice(pages.length) : '';
    const upload = await hostedUploads.bySlug(slug);
    if (!upload || format !== 'json') throw notFound();
    return reply.header('access-control-allow-origin', '*').send({
      version: '1.0',
      type: upload.width === null ? 'link' : 'photo',
      title: upload.filename,
      provider_name: 'Tintype',
      provider_url: settings.baseUrl,
      url: uploadLinks(settings, upload.slug).file_url,
      ...(upload.width !== null && { width: upload.width, height: upload.height }),
    });
  };
}

function describe(upload: UploadRow, { baseUrl, contentBaseUrl }: Addresses, now: number) {
  const { url: pageUrl, file_url: fileUrl } = uploadLinks({ baseUrl, contentBaseUrl }, upload.slug);
  // If pages and bytes share a host, a relative link works at whatever address the page was reached.
  const fileLink = contentBaseUrl === baseUrl ? filePath(upload.slug) : fileUrl;
  const size = upload.width === null ? undefined : { width: upload.width, height: upload.height };
  // Chats do not show SVGs: a text card is better than one with a missing picture.
  const hasPreview = upload.content_type !== 'image/svg+xml';
  const dimensions = size && `${size.width} × ${size.height}`;
  const summary = [imageNames[upload.content_type as ImageType], dimensions, readableSize(upload.size_bytes)]
    .filter(Boolean)
    .join(' · ');

  const head = html`<link rel="canonical" href="${pageUrl}" />
    <meta property="og:site_name" content="Tintype" />
    <meta property="og:type" content="website" />
    <meta property="og:title" content="${upload.filename}" />
    <meta property="og:description" content="${summary}" />
    <meta property="og:url" content="${pageUrl}" />
    ${
      hasPreview &&
      html`<meta property="og:image" content="${fileUrl}" />
        <meta property="og:image:type" content="${upload.content_type}" />
        <meta property="og:image:alt" content="${upload.filename}" />
        <meta name="twitter:image" content="${fileUrl}" />`
    }
    ${
      hasPreview &&
      size &&
      html`<meta property="og:image:width" content="${size.width}" />
        <meta property="og:image:height" content="${size.height}" />`
    }
    <meta name="twitter:card" content="${hasPreview ? 'summary_large_image' : 'summary'}" />
    <meta name="twitter:title" content="${upload.filename}" />
    <meta name="twitter:description" content="${summary}" />
    <link
      rel="alternate"
      type="application/json+oembed"
      href="${baseUrl}/oembed?format=json&url=${encodeURIComponent(pageUrl)}"
      title="${upload.filename}"
    />`;

  const body = html`<main class="share">
    <section class="stage">
      <input class="zoom" type="checkbox" id="zoom" aria-label="Show at full size" />
      <div class="frame">
        <label for="zoom"
          ><img
            class="picture"
            src="${fileLink}"
            alt="${upload.filename}"
            ${size && html` width="${size.width}" height="${size.height}"`}
        /></label>
      </div>
    </section>
    <aside class="details">
      <h1>${upload.filename}</h1>
      <p class="quiet">${summary}</p>
      <nav class="actions">
        <a class="button primary" href="${fileLink}?download=1" download="${upload.filename}">Download</a>
        <a class="button" href="${fileLink}">Open original</a>
        <label class="button" for="zoom"
          ><span class="to-full">Actual size</span><span class="to-fit">Fit to window</span></label
        >
        <button class="button" type="button" data-share hidden>Share…</button>
      </nav>
      <dl>
        <div>
          <dt>Type</dt>
          <dd>${upload.content_type}</dd>
        </div>
        ${
          dimensions &&
          html`<div>
            <dt>Dimensions</dt>
            <dd>${dimensions} px</dd>
          </div>`
        }
        <div>
          <dt>Size</dt>
          <dd>${readableSize(upload.size_bytes)}</dd>
        </div>
        <div>
          <dt>Uploaded</dt>
          <dd>${time(upload.created_at)}</dd>
        </div>
        <div>
          <dt>Expires</dt>
          <dd>
            ${
              upload.expires_at === null
                ? 'never'
                : html`${time(upload.expires_at)}
                    <span class="quiet">(${remaining(upload.expires_at - now)})</span>`
            }
          </dd>
        </div>
      </dl>
      <h2>Share</h2>
      ${copyRow('Page link', pageUrl)} ${copyRow('Direct link', fileUrl)}
      ${copyRow('Markdown', `[![${markdownText(upload.filename)}](${fileUrl})](${pageUrl})`)}
      ${copyRow('HTML', html`<a href="${pageUrl}"><img src="${fileUrl}" alt="${upload.filename}" /></a>`.markup)}
      ${copyRow('BBCode', `[url=${pageUrl}][img]${fileUrl}[/img][/url]`)}
    </aside>
  </main>`;
  return { title: upload.filename, head, body, script: 'share.js' };
}

/** Readable and selectable without script; the button needs script. */
function copyRow(label: string, text: string): Html {
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

function time(at: number): Html {
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
function remaining(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const [unit, size] = steps.find(([, length]) => seconds >= length * 0.99) ?? ['second', 1];
  return unit === 'second' ? 'in less than a minute' : relative.format(Math.round(seconds / size), unit);
}

function readableSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KB`;
  return `${(bytes / (1024 * 1024)).toFixed(1)} MB`;
}

// What the page of an album shows: its pictures as thumbnails, each a link to its share page. With script the links open a viewer. v2 3.
import type { AlbumRow, UploadRow } from '#storage/schema.ts';
import type { StoredTotals } from '#storage/tables/stored.ts';
import { isDecoded, isDrawn, type VariantWidth } from '#uploads/pictures/variant.ts';
import type { Access } from '#uploads/upload-access.ts';
import { candidatesOf, copyRow, largeBytes, readableSize, remaining, time } from '#site/hosted/share-page.ts';
import { ofUpload, type SharedFile } from '#site/hosted/shared-file.ts';
import { albumPath, sharePath, type Addresses } from '#http/addresses.ts';
import { html, type Html, type Page } from '#site/pages/page.ts';

export interface ShownAlbum {
  /** The uploads on this page, and whether a visitor must be asked before one is shown. */
  uploads: { upload: UploadRow; access: Access }[];
  totals: StoredTotals;
  isFirstPage: boolean;
  nextCursor: string | null;
  settings: Addresses;
  now: number;
}

/** The widths of a tile, on screens of every density. */
const tileWidths = [256, 384, 512, 768] satisfies VariantWidth[];
/** A smaller file is its own thumbnail. */
const smallBytes = 24 * 1024;
/** The width of the picture in a preview card. */
const cardWidth = 1280;

export function describeAlbum(album: AlbumRow, shown: ShownAlbum): Page {
  const { uploads, totals, isFirstPage, nextCursor, settings, now } = shown;
  const path = albumPath(album.slug);
  const pageUrl = settings.baseUrl + path;
  const title = album.title ?? 'Album';
  const pictures = totals.files === 1 ? '1 picture' : `${totals.files} pictures`;
  const summary = totals.files === 0 ? pictures : `${pictures} · ${readableSize(totals.bytes)}`;
  const body = html`<main class="album">
    <div class="heading">
      <div>
        <h1 dir="auto">${title}</h1>
        <p class="quiet">
          ${summary}${
            album.expires_at !== null &&
            html` · expires ${time(album.expires_at)} (${remaining(album.expires_at - now)})`
          }
        </p>
        ${album.description !== null && html`<p class="description" dir="auto">${album.description}</p>`}
      </div>
      <nav class="actions">
        ${totals.files > 0 && html`<a class="button primary" href="${path}.zip" download>Download all</a>`}
        <button class="button" type="button" data-share hidden>Share…</button>
      </nav>
    </div>
    ${
      totals.files === 0
        ? html`<p class="empty quiet">There is nothing in this album yet.</p>`
        : html`<ul class="tiles">
            ${uploads.map(({ upload, access }) => (access === 'open' ? tile(upload, settings) : lockedTile(upload)))}
          </ul>`
    }
    ${
      (!isFirstPage || nextCursor !== null) &&
      html`<nav class="actions pages">
        ${!isFirstPage && html`<a class="button" href="${path}">First pictures</a>`}
        ${nextCursor !== null && html`<a class="button" href="${path}?after=${nextCursor}">More pictures</a>`}
      </nav>`
    }
    <div class="link">${copyRow('Page link', pageUrl)}</div>
    ${viewer}
  </main>`;
  return {
    title,
    head: headOf(album, uploads, { title, summary, pageUrl, settings }),
    body,
    scripts: ['share.js', 'album.js'],
  };
}

/** Filled by the script, which finds the pictures in the tiles. */
const viewer = html`<dialog class="viewer" aria-label="Picture">
  <img class="large" alt="" />
  <p class="caption"><span data-title></span> <span class="quiet" data-place></span></p>
  <nav class="actions">
    <button class="button" type="button" data-previous aria-label="Previous picture">←</button>
    <button class="button" type="button" data-next aria-label="Next picture">→</button>
    <a class="button" data-page>Details</a>
    <button class="button" type="button" data-close>Close</button>
  </nav>
</dialog>`;

/** Says nothing of the picture; its own page asks. */
const lockedTile = ({ slug }: UploadRow): Html =>
  html`<li>
    <a class="tile" href="${sharePath(slug)}"
      ><span class="named"><strong>Locked</strong>Open to see it</span></a
    >
  </li>`;

function tile(row: UploadRow, settings: Addresses): Html {
  const file = ofUpload(row, settings, undefined);
  const title = row.title ?? row.filename;
  return html`<li>
    <a
      class="tile"
      href="${sharePath(row.slug)}"
      data-src="${file.fileLink()}"
      data-srcset="${candidatesOf(file) ?? ''}"
      data-title="${title}"
      >${thumbnail(file, title)}</a
    >
  </li>`;
}

/**
 * A picture that is always served whole (SVGs, animations) and is large has a name in place of a thumbnail, so that a page of them
 * stays small.
 */
function thumbnail(file: SharedFile, title: string): Html {
  const { fileLink, typeName, sizeBytes, contentType } = file;
  const candidates = candidatesOf(file, tileWidths, smallBytes);
  const mayBeWhole = candidates === undefined || contentType === 'image/gif' || !isDecoded(contentType);
  if (mayBeWhole && sizeBytes > largeBytes)
    return html`<span class="named"><strong>${typeName}</strong>${title}</span>`;
  return candidates === undefined
    ? html`<img src="${fileLink()}" alt="${title}" loading="lazy" decoding="async" />`
    : html`<img
        src="${fileLink('width=384')}"
        srcset="${candidates}"
        sizes="(max-width: 40rem) 48vw, 14rem"
        alt="${title}"
        loading="lazy"
        decoding="async"
      />`;
}

function headOf(
  album: AlbumRow,
  uploads: ShownAlbum['uploads'],
  {
    title,
    summary,
    pageUrl,
    settings,
  }: { title: string; summary: string; pageUrl: string; settings: Addresses },
): Html {
  const first = uploads.find(({ access }) => access === 'open');
  const cover = first && ofUpload(first.upload, settings, undefined);
  const image = isDrawn(cover?.contentType ?? '')
    ? cover?.preview?.url
    : cover && `${cover.fileUrl}?width=${cardWidth}`;
  const text = album.description?.split('\n')[0] ?? summary;
  return html`<link rel="canonical" href="${pageUrl}" />
    <meta property="og:site_name" content="Tintype" />
    <meta property="og:type" content="website" />
    <meta property="og:title" content="${title}" />
    <meta property="og:description" content="${text}" />
    <meta property="og:url" content="${pageUrl}" />
    ${
      image !== undefined &&
      html`<meta property="og:image" content="${image}" />
        <meta property="og:image:alt" content="${title}" />
        <meta name="twitter:image" content="${image}" />`
    }
    <meta name="twitter:card" content="${image === undefined ? 'summary' : 'summary_large_image'}" />
    <meta name="twitter:title" content="${title}" />
    <meta name="twitter:description" content="${text}" />`;
}

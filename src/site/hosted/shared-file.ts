// What a share page and oEmbed show: an upload, or a picture or PDF of a hosted render, under one description. Spec 2.1; v2 2.
import { isBlobKey } from '#core/ids.ts';
import type { Dimensions } from '#core/image-header.ts';
import type { UploadRow } from '#storage/schema.ts';
import { imageNames, type ImageType } from '#uploads/image-types.ts';
import { drawnSize, isDrawn, sizeOf } from '#uploads/pictures/variant.ts';
import { visibleText } from '#uploads/filename.ts';
import { isGuarded } from '#uploads/upload-access.ts';
import type { UploadsRoom } from '#uploads/room.ts';
import type { HostedOutput } from '#renders/hosted-renders.ts';
import { isExtract, outputFiles } from '#renders/output-files.ts';
import { toStoredRender } from '#renders/stored-render.ts';
import type { RendersRoom } from '#renders/room.ts';
import { outputFilename } from '#site/hosted/render-file.ts';
import { ticketQuery, withQuery } from '#site/hosted/tickets.ts';
import { filePath, renderPath, sharePath, type Addresses } from '#http/addresses.ts';

export interface SharedFile {
  /** What people read: the title of an upload or else its filename, the title of a page. */
  title: string;
  filename: string;
  contentType: string;
  /** As people write it. */
  typeName: string;
  sizeBytes: number;
  width: number | null;
  height: number | null;
  /** How many pages a PDF has. */
  pages: number | null;
  /** Whether the page shows it as a picture; otherwise it offers to open it. */
  isPicture: boolean;
  /** What a chat shows of it; a PDF becomes a text card, which is better than one with a missing picture. */
  preview: { url: string; contentType: string; size: Dimensions | undefined } | undefined;
  /** What happened at `createdAt`. */
  origin: 'Uploaded' | 'Rendered';
  createdAt: number;
  expiresAt: number | null;
  pageUrl: string;
  fileUrl: string;
  /**
   * For the page itself, with these parameters: relative if pages and bytes share a host, so that it works at whatever address the
   * page was reached.
   */
  fileLink: (query?: string) => string;
  /** Only for those who were let in: nothing of it is for chats, and nothing but the page can be shared. */
  isGuarded: boolean;
}

/** What the holder of the ticket may see. */
export type FindSharedFile = (name: string, ticket?: string) => Promise<SharedFile | undefined>;

export interface SharedFileParts {
  settings: Addresses;
  uploads: Pick<UploadsRoom, 'hostedUploads'>;
  renders: Pick<RendersRoom, 'hostedRenders'>;
}

/** By what follows `/i/`: the slug of an upload or the id of an output, which is longer. */
export function createSharedFiles({ settings, uploads, renders }: SharedFileParts): FindSharedFile {
  return async (name, ticket) => {
    if (isBlobKey(name)) {
      const found = await renders.hostedRenders.byId(name);
      return found && !isExtract(found.output.format) ? ofOutput(found, settings) : undefined;
    }
    const upload = await uploads.hostedUploads.bySlug(name, ticket);
    return upload && ofUpload(upload, settings, isGuarded(upload) ? ticket : undefined);
  };
}

export function ofUpload(upload: UploadRow, addresses: Addresses, ticket: string | undefined): SharedFile {
  const { content_type: contentType } = upload;
  const links = linksOf(addresses, upload.slug, filePath(upload.slug), ticket);
  return {
    title: visibleText(upload.title ?? '').trim() || upload.filename,
    filename: upload.filename,
    contentType,
    typeName: imageNames[upload.content_type as ImageType],
    sizeBytes: upload.size_bytes,
    width: upload.width,
    height: upload.height,
    pages: null,
    isPicture: true,
    preview: isDrawn(contentType)
      ? { url: `${links.fileUrl}/preview.png`, contentType: 'image/png', size: drawnSize(sizeOf(upload)) }
      : { url: links.fileUrl, contentType, size: sizeOf(upload) },
    origin: 'Uploaded',
    createdAt: upload.created_at,
    expiresAt: upload.expires_at,
    isGuarded: ticket !== undefined,
    ...links,
  };
}

function ofOutput({ render, output }: HostedOutput, addresses: Addresses): SharedFile {
  const { page, createdAt, finishedAt, expiresAt } = toStoredRender(render);
  const { id, format, contentType, sizeBytes, width, height, pages } = output;
  const filename = outputFilename(render, format);
  const links = linksOf(addresses, id, renderPath(format, id));
  return {
    // The words of a stranger's page: without characters that nobody sees, and not longer than a filename.
    title:
      visibleText(page?.title ?? '')
        .slice(0, maxTitleCharacters)
        .toWellFormed() || filename,
    filename,
    contentType,
    typeName: outputFiles[format].name,
    sizeBytes,
    width,
    height,
    pages,
    isPicture: format !== 'pdf',
    preview: format === 'pdf' ? undefined : { url: links.fileUrl, contentType, size: sizeOf(output) },
    origin: 'Rendered',
    createdAt: finishedAt ?? createdAt,
    expiresAt,
    isGuarded: false,
    ...links,
  };
}

const maxTitleCharacters = 100;

const linksOf = ({ baseUrl, contentBaseUrl }: Addresses, name: string, path: string, ticket?: string) => ({
  pageUrl: baseUrl + sharePath(name),
  fileUrl: contentBaseUrl + path,
  fileLink: (query?: string): string =>
    withQuery(contentBaseUrl === baseUrl ? path : contentBaseUrl + path, query, ticketQuery(ticket)),
});

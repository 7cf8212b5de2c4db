// The tools: what an assistant can request, and what it gets. Spec 4.1, 4.3, 4.4.
import type { PdfMetadata, UploadResult } from '../../library/src/contract.ts';
import { TintypeError } from '../../library/src/errors.ts';
import type { FileInput } from '../../library/src/files.ts';
import { toCamel } from '../../library/src/letter-case.ts';
import type { PdfOptions, ScreenshotOptions } from '../../library/src/options.ts';
import { endingOf, formatFor } from '../../shared/src/file-names.ts';
import { PdfRequest, ScreenshotRequest, UploadRequest } from '../../shared/src/requests.ts';
import type { ServiceAccess } from '../../shared/src/service.ts';
import type { AllowedFolders } from './allowed-folders.ts';
import type { Content } from './protocol.ts';
import { renderTool } from './render-tool.ts';
import { pdfResult, screenshotResult, uploadResult, uploadsResult } from './tool-outputs.ts';
import { keep, placeFor } from './save-to.ts';
import { longestSide, scalePng } from './scale-png.ts';
import { annotations, resultOf, withSaveTo, type RunnableTool } from './tool.ts';

const link = {
  type: 'boolean',
  default: false,
  description: 'Also give the link of the picture, which the service hosts in its full size.',
};
const { expires_in: expiresIn = {} } = UploadRequest.properties;
const pictureFormats = ScreenshotRequest.properties['format']?.enum ?? [];

export const tools: RunnableTool[] = [
  {
    name: 'upload_image',
    title: 'Upload an image',
    description:
      'Stores an image (PNG, JPEG, GIF, WebP, SVG or AVIF, at most 10 MB) and gives a share link and a direct link.',
    annotations,
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      properties: {
        path: { type: 'string', description: 'A local file in an allowed folder. Give this or data.' },
        data: { type: 'string', description: 'The image itself, base64. Give this or path.' },
        filename: { type: 'string', description: 'The name to store it under.' },
        expires_in: expiresIn,
      },
    },
    outputSchema: uploadResult,
    async run({ path, data, filename, expires_in }, { client, note, signal, folders }) {
      const { meta, ...upload } = await client.upload(fileOf(folders, path, data, filename), {
        signal,
        expiresIn: expires_in as number | undefined,
      });
      note('uploads', meta);
      return resultOf(withoutSecret(upload));
    },
  },
  {
    name: 'upload_images',
    title: 'Upload several images',
    description:
      'Stores local image files and gives the links of each. A file that fails does not stop the others.',
    annotations,
    inputSchema: {
      type: 'object',
      required: ['paths'],
      additionalProperties: false,
      properties: {
        paths: {
          type: 'array',
          items: { type: 'string' },
          maxItems: 100,
          description: 'Local files in an allowed folder, at most 100.',
        },
        expires_in: expiresIn,
      },
    },
    outputSchema: uploadsResult,
    async run({ paths, expires_in }, { client, note, signal, folders }) {
      const files = (paths as string[]).map((path, index) => folders.fileAt(`paths[${index}]`, path));
      const { items, summary, meta } = await client.uploadBatch(files, {
        signal,
        expiresIn: expires_in as number | undefined,
      });
      note('uploads', meta);
      const told = items.map((item) => (item.ok ? { ...item, upload: withoutSecret(item.upload) } : item));
      return resultOf({ items: told, summary });
    },
  },
  {
    name: 'screenshot',
    title: 'Capture a web page',
    description: `Loads a public web page in a real browser and returns the picture, a PNG scaled to at most ${longestSide} px a side. save_to and link keep the full size.`,
    annotations,
    inputSchema: withSaveTo(ScreenshotRequest, { link }),
    outputSchema: screenshotResult,
    async run(input, { client, note, signal, folders }) {
      const { url, fields, place, mayReplace, isLinked } = readInput(input);
      const asked = toCamel(fields) as ScreenshotOptions;
      const format = formatFor(place, asked.format, pictureFormats) as ScreenshotOptions['format'];
      const options = { ...asked, ...(format && { format }) };
      const isHidden = isTooLarge(options);
      if (isHidden && place === undefined && !isLinked)
        throw new TintypeError(
          'validation_error',
          `format: only a png of more than ${longestSide} px can be shown; leave format out, or set save_to or link.`,
        );
      const file = await placeFor(folders, place, url, endingOf(format ?? 'png'), mayReplace);
      const render = isLinked
        ? await hosted(client, url, options, signal)
        : await client.screenshot(url, { ...options, signal });
      const { bytes, contentType, id, durationMs, meta } = render;
      note('renders', meta);
      if (file) await keep(file, bytes, mayReplace);
      const shown = await scalePng(bytes);
      const facts = {
        id,
        url,
        content_type: contentType,
        size_bytes: bytes.length,
        duration_ms: durationMs ?? undefined,
        saved_to: file?.path,
        link: 'link' in render ? render.link : undefined,
        shown_width: shown?.width,
        shown_height: shown?.height,
      };
      if (isHidden) return resultOf(facts);
      const picture = shown ? { bytes: shown.png, mimeType: 'image/png' } : { bytes, mimeType: contentType };
      return resultOf(facts, {
        type: 'image',
        data: Buffer.from(picture.bytes).toString('base64'),
        mimeType: picture.mimeType,
      });
    },
  },
  {
    name: 'pdf',
    title: 'Print a web page to PDF',
    description:
      'Loads a public web page in a real browser, prints it to PDF and gives the link of the document.',
    annotations,
    inputSchema: withSaveTo(PdfRequest),
    outputSchema: pdfResult,
    async run(input, { client, note, signal, folders }) {
      const { url, fields, place, mayReplace } = readInput(input);
      formatFor(place, 'pdf', ['pdf']);
      const file = await placeFor(folders, place, url, 'pdf', mayReplace);
      const options = { ...(toCamel(fields) as PdfOptions), signal };
      if (file) {
        const { bytes, id, durationMs, meta } = await client.pdf(url, options);
        note('renders', meta);
        await keep(file, bytes, mayReplace);
        const facts = { id, url, size_bytes: bytes.length, duration_ms: durationMs, saved_to: file.path };
        return resultOf(facts);
      }
      const { meta, ...metadata } = await client.pdf(url, { ...options, response: 'json' });
      note('renders', meta);
      return resultOf({ ...metadata, url, link: metadata.url }, linkTo(metadata));
    },
  },
  renderTool,
];

/** Reads an input that was checked against the tool's schema. */
function readInput({
  url,
  save_to,
  overwrite: mayReplace,
  link: isLinked,
  ...fields
}: Record<string, unknown>) {
  return {
    url: url as string,
    fields,
    place: save_to as string | undefined,
    mayReplace: mayReplace === true,
    isLinked: isLinked === true,
  };
}

/** Whoever has the delete link can delete the upload, so the assistant does not get it. */
function withoutSecret({ deleteUrl: _secret, ...upload }: UploadResult) {
  return upload;
}

/** Only a PNG can be scaled here. Checked before the render, so that no unit is spent on a picture that cannot be shown. */
function isTooLarge({ format = 'png', fullPage, width = 0, height = 0 }: ScreenshotOptions): boolean {
  return format !== 'png' && (fullPage === true || Math.max(width, height) > longestSide);
}

/** Renders with a hosted link, and downloads the bytes from the service. */
async function hosted(
  client: ServiceAccess['client'],
  url: string,
  options: ScreenshotOptions,
  signal: AbortSignal,
) {
  const {
    url: link,
    id,
    durationMs,
    meta,
  } = await client.screenshot(url, { ...options, signal, response: 'json' });
  const { bytes, contentType } = await client.download(link, { signal });
  return { bytes, contentType, id, durationMs, meta, link };
}

function fileOf(folders: AllowedFolders, path: unknown, data: unknown, filename: unknown): FileInput {
  if ((typeof path === 'string') === (typeof data === 'string'))
    throw new TintypeError('validation_error', 'give either path or data');
  const source = typeof path === 'string' ? folders.fileAt('path', path) : { data: decode(String(data)) };
  return { filename: 'image', ...source, ...(typeof filename === 'string' && { filename }) };
}

/** Base64, with or without the beginning of a data: URL. Checked, because Buffer.from skips what is not base64. */
function decode(data: string): Buffer {
  const comma = data.startsWith('data:') ? data.indexOf(',') : -1;
  const base64 = data.slice(comma + 1).replaceAll(/\s/g, '');
  if (
    base64 === '' ||
    !/^[A-Za-z0-9+/_-]*={0,2}$/.test(base64) ||
    (comma >= 0 && !data.slice(0, comma).endsWith(';base64'))
  )
    throw new TintypeError('validation_error', 'data: must be the image in base64.');
  return Buffer.from(base64, 'base64');
}

function linkTo({ id, url, sizeBytes }: PdfMetadata): Content {
  return {
    type: 'resource_link',
    uri: url,
    name: `${id}.pdf`,
    mimeType: 'application/pdf',
    ...(sizeBytes !== null && { size: sizeBytes }),
  };
}

// The three tools: what an assistant may ask, and what it gets to see. Spec 4.1, 4.3, 4.4.
import { resolve } from 'node:path';
import { formatFor, nameAfter, preparePlace, writeWhole } from '../../cli/src/output-file.ts';
import { extensionOf, pictureFormats } from '../../cli/src/screenshot.ts';
import type { PdfMetadata } from '../../library/src/contract.ts';
import { TintypeError } from '../../library/src/errors.ts';
import type { FileInput } from '../../library/src/files.ts';
import { toCamel, toSnake } from '../../library/src/letter-case.ts';
import type { PdfOptions, ScreenshotOptions } from '../../library/src/options.ts';
import type { ServiceAccess } from '../../cli/src/service.ts';
import type { Content, Tool, ToolResult } from './protocol.ts';
import { PdfRequest, ScreenshotRequest } from './tool-inputs.ts';

interface Access extends Pick<ServiceAccess, 'client' | 'note'> {
  signal: AbortSignal;
}

interface RunnableTool extends Tool {
  run(input: Record<string, unknown>, access: Access): Promise<ToolResult>;
}

const saveTo = {
  type: 'string',
  description: 'Also write it to this local file, or into this local folder.',
};
const annotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: true };

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
        path: { type: 'string', description: 'A local file. Give this or data.' },
        data: { type: 'string', description: 'The image itself, base64. Give this or path.' },
        filename: { type: 'string', description: 'The name to store it under.' },
        expires_in: {
          type: 'integer',
          minimum: 60,
          maximum: 31_536_000,
          description: 'Seconds until the links expire.',
        },
      },
    },
    async run({ path, data, filename, expires_in }, { client, note, signal }) {
      const {
        meta,
        deleteUrl: _secret,
        ...upload
      } = await client.upload(fileOf(path, data, filename), {
        signal,
        ...(expires_in !== undefined && { expiresIn: expires_in as number }),
      });
      await note('uploads', meta);
      const links = toSnake(upload) as Record<string, unknown>;
      return { content: [{ type: 'text', text: JSON.stringify(links, null, 2) }] };
    },
  },
  {
    name: 'screenshot',
    title: 'Capture a web page',
    description:
      'Loads a public web page in a real browser and returns the picture. For a long page, jpeg and a smaller width keep it small.',
    annotations,
    inputSchema: withSaveTo(ScreenshotRequest),
    async run(input, { client, note, signal }) {
      const { url, fields, place } = readInput(input);
      const asked = toCamel(fields) as ScreenshotOptions;
      const format = formatFor(place, asked.format, pictureFormats);
      const options = { ...asked, ...(format && { format }) };
      const file = await fileAt(place, url, extensionOf(format));
      const { bytes, contentType, id, durationMs, meta } = await client.screenshot(url, {
        ...options,
        signal,
      });
      await note('renders', meta);
      if (file) await writeWhole(file, bytes);
      const facts = {
        id,
        url,
        content_type: contentType,
        size_bytes: bytes.length,
        duration_ms: durationMs,
        saved_to: file,
      };
      return {
        content: [
          { type: 'image', data: Buffer.from(bytes).toString('base64'), mimeType: contentType },
          { type: 'text', text: JSON.stringify(facts, null, 2) },
        ],
      };
    },
  },
  {
    name: 'pdf',
    title: 'Print a web page to PDF',
    description:
      'Loads a public web page in a real browser, prints it to PDF and gives the link of the document.',
    annotations,
    inputSchema: withSaveTo(PdfRequest),
    async run(input, { client, note, signal }) {
      const { url, fields, place } = readInput(input);
      formatFor(place, 'pdf', ['pdf']);
      const file = await fileAt(place, url, 'pdf');
      const options = { ...(toCamel(fields) as PdfOptions), signal };
      if (file) {
        const { bytes, id, durationMs, meta } = await client.pdf(url, options);
        await note('renders', meta);
        await writeWhole(file, bytes);
        const facts = { id, url, size_bytes: bytes.length, duration_ms: durationMs, saved_to: file };
        return { content: [{ type: 'text', text: JSON.stringify(facts, null, 2) }] };
      }
      const { meta, ...metadata } = await client.pdf(url, { ...options, response: 'json' });
      await note('renders', meta);
      return {
        content: [linkTo(metadata), { type: 'text', text: JSON.stringify(toSnake(metadata), null, 2) }],
      };
    },
  },
];

function withSaveTo(schema: { properties: object }): Tool['inputSchema'] {
  return {
    ...schema,
    type: 'object',
    properties: { ...schema.properties, save_to: saveTo },
  };
}

/** Of an input that was checked against the tool's schema. */
function readInput({ url, save_to, ...fields }: Record<string, unknown>) {
  return { url: url as string, fields, place: save_to as string | undefined };
}

/** Checked before the render, so that no unit is spent on what cannot be kept. */
async function fileAt(
  place: string | undefined,
  url: string,
  extension: string,
): Promise<string | undefined> {
  if (place === undefined) return undefined;
  const name = URL.canParse(url) ? nameAfter(url) : 'page';
  return resolve(await preparePlace(place, `${name}.${extension}`));
}

function fileOf(path: unknown, data: unknown, filename: unknown): FileInput {
  if ((typeof path === 'string') === (typeof data === 'string'))
    throw new TintypeError('validation_error', 'give path or data, one of them');
  const source: FileInput = typeof path === 'string' ? resolve(path) : decode(String(data));
  return typeof filename === 'string' ? { data: source, filename } : source;
}

/** Base64, with or without the head of a data: URL. Buffer.from would skip what is not base64 and send the rest. */
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

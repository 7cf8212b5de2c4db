// The tools: what an assistant can request, and what it gets. Spec 4.1, 4.3, 4.4.
import type { UploadResult } from '../../library/src/contract.ts';
import { TintypeError } from '../../library/src/errors.ts';
import type { FileInput } from '../../library/src/files.ts';
import { UploadRequest } from '../../shared/src/requests.ts';
import type { AllowedFolders } from './allowed-folders.ts';
import { pdfTool, renderTool, screenshotTool } from './render-tool.ts';
import { uploadResult, uploadsResult } from './tool-outputs.ts';
import { annotations, resultOf, type RunnableTool } from './tool.ts';

const { expires_in: expiresIn = {} } = UploadRequest.properties;

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
          minItems: 1,
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
  screenshotTool,
  pdfTool,
  renderTool,
];

/** Whoever has the delete link can delete the upload, so the assistant does not get it. */
function withoutSecret({ deleteUrl: _secret, ...upload }: UploadResult) {
  return upload;
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

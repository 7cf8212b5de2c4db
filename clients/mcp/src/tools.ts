// The tools: what an assistant can request, and what it gets. Spec 4.1, 4.3, 4.4.
import type { Upload } from '../../library/src/contract.ts';
import { TintypeError } from '../../library/src/errors.ts';
import type { FileInput } from '../../library/src/files.ts';
import type { NewUploadOptions, UploadSource } from '../../library/src/hosting.ts';
import { toCamel } from '../../library/src/letter-case.ts';
import { omit } from '../../shared/src/fields.ts';
import { UploadFromUrl } from '../../shared/src/requests.ts';
import { accountTools } from './account-tools.ts';
import type { AllowedFolders } from './allowed-folders.ts';
import { pdfTool, renderTool, screenshotTool } from './render-tool.ts';
import { uploadResult, uploadsResult } from './tool-outputs.ts';
import { annotations, resultOf, type RunnableTool } from './tool.ts';

const { url, ...uploadFields } = UploadFromUrl.properties;

export const tools: RunnableTool[] = [
  {
    name: 'upload_image',
    title: 'Upload an image',
    description:
      'Stores an image (PNG, JPEG, GIF, WebP, SVG or AVIF, at most 10 MB) and gives a share link and a direct link. Removes place, camera and ' +
      'the like from it unless strip_metadata is false.',
    annotations,
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      properties: {
        path: {
          type: 'string',
          description: 'A local file in an allowed folder. Give one of path, data and url.',
        },
        data: { type: 'string', description: 'The image itself, base64.' },
        url: { ...url },
        ...uploadFields,
      },
    },
    outputSchema: uploadResult,
    async run({ path, data, url: address, ...fields }, { client, note, signal, folders }) {
      const source = sourceOf(folders, { path, data, url: address });
      const { meta, ...upload } = await client.uploads.create(source, {
        ...(toCamel(fields) as NewUploadOptions),
        signal,
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
        ...omit(UploadFromUrl, 'url', 'filename').properties,
      },
    },
    outputSchema: uploadsResult,
    async run({ paths, ...fields }, { client, note, signal, folders }) {
      const files = (paths as string[]).map((path, index) => folders.fileAt(`paths[${index}]`, path));
      const outcomes = new Map<FileInput, object>();
      let ended: TintypeError | undefined;
      try {
        const options = { ...(toCamel(fields) as NewUploadOptions), signal };
        for await (const item of client.uploads.createAll(files, options)) {
          if (item.ok) note('uploads', item.result.meta);
          outcomes.set(item.source, item.ok ? { upload: withoutSecret(item.result) } : failureOf(item.error));
        }
      } catch (error) {
        if (!(error instanceof TintypeError) || outcomes.size === 0) throw error;
        // A used-up quota: what was not sent has failed for the same reason.
        ended = error;
      }
      const items = files.map((file, index) => {
        const outcome = outcomes.get(file) ?? (ended ? failureOf(ended) : {});
        return { ok: 'upload' in outcome, index, source_filename: file.filename, ...outcome };
      });
      const succeeded = items.filter(({ ok }) => ok).length;
      return resultOf({
        items,
        summary: { total: items.length, succeeded, failed: items.length - succeeded },
      });
    },
  },
  screenshotTool,
  pdfTool,
  renderTool,
  ...accountTools,
];

/** Whoever has the delete link can delete the upload, so the assistant does not get it. */
function withoutSecret({ deleteUrl: _secret, ...upload }: Upload & { meta?: unknown }) {
  return { ...upload, meta: undefined };
}

const failureOf = ({ code, message }: TintypeError) => ({ error: { code, message } });

function sourceOf(
  folders: AllowedFolders,
  { path, data, url: address }: Record<'path' | 'data' | 'url', unknown>,
): UploadSource {
  if ([path, data, address].filter((given) => given !== undefined).length !== 1)
    throw new TintypeError('validation_error', 'give one of path, data and url');
  if (typeof path === 'string') return folders.fileAt('path', path);
  return typeof address === 'string' ? { url: address } : { filename: 'image', data: decode(data as string) };
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

// The tools for what the account has: lists, deletions and its usage. None of them spends a unit.
import { TintypeError } from '../../library/src/errors.ts';
import type { Schema } from '../../shared/src/fields.ts';
import { RendersQuery, UploadsQuery } from '../../shared/src/requests.ts';
import { listResult, usageResult, deletedResult } from './tool-outputs.ts';
import { resultOf, type RunnableTool } from './tool.ts';

const reading = { readOnlyHint: true, openWorldHint: false };
const deleting = { readOnlyHint: false, destructiveHint: true, openWorldHint: false };

const text = (description: string): Schema => ({ type: 'string', description });
const paging = {
  limit: { type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'Items on a page.' },
  cursor: text('The next_cursor of the page before.'),
};
const id = (of: string) => ({
  type: 'object' as const,
  required: ['id'],
  additionalProperties: false,
  properties: { id: text(`The id of the ${of}.`) },
});

export const accountTools: RunnableTool[] = [
  {
    name: 'list_uploads',
    title: 'List uploads',
    description: 'The uploads of the account, the newest first, with their links.',
    annotations: reading,
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      properties: { ...UploadsQuery.properties, ...paging },
    },
    outputSchema: listResult,
    async run({ limit = 20, ...query }, { client, signal }) {
      const { items, nextCursor } = await client.uploads.list({ ...query, limit: Number(limit), signal });
      return resultOf({
        items: items.map(({ deleteUrl: _secret, ...upload }) => upload),
        next_cursor: nextCursor,
      });
    },
  },
  {
    name: 'list_renders',
    title: 'List renders',
    description: 'The renders of the account, the newest first, with the links of what is hosted.',
    annotations: reading,
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      properties: { ...RendersQuery.properties, ...paging },
    },
    outputSchema: listResult,
    async run({ limit = 20, ...query }, { client, signal }) {
      const { items, nextCursor } = await client.getRenders({ ...query, limit: Number(limit), signal });
      return resultOf({
        items: items.map(({ id: render, state, createdAt, expiresAt, reference, units, page, outputs }) => ({
          id: render,
          state,
          created_at: createdAt,
          expires_at: expiresAt,
          reference,
          units,
          page_url: page.finalUrl ?? page.url,
          page_title: page.title,
          outputs: outputs.map(({ format, url, sizeBytes }) => ({
            format,
            link: url,
            size_bytes: sizeBytes,
          })),
        })),
        next_cursor: nextCursor,
      });
    },
  },
  {
    name: 'usage',
    title: 'Show usage',
    description: 'The units of this month, the request budget and the renders at this moment.',
    annotations: reading,
    inputSchema: { type: 'object', additionalProperties: false, properties: {} },
    outputSchema: usageResult,
    async run(_input, { client, signal }) {
      const { meta: _meta, ...usage } = await client.getUsage({ signal });
      return resultOf(usage);
    },
  },
  {
    name: 'delete_upload',
    title: 'Delete an upload',
    description: 'Ends the links of an upload. The dashboard can restore it for some time.',
    annotations: deleting,
    inputSchema: id('upload'),
    outputSchema: deletedResult,
    async run({ id: upload }, { client, signal }) {
      await client.uploads.delete(checked(upload), { signal });
      return resultOf({ id: upload, deleted: true });
    },
  },
  {
    name: 'delete_render',
    title: 'Delete a render',
    description: 'Deletes a render with its hosted files for good; cancels one that waits or runs.',
    annotations: deleting,
    inputSchema: id('render'),
    outputSchema: deletedResult,
    async run({ id: render }, { client, signal }) {
      await client.deleteRender(checked(render), { signal });
      return resultOf({ id: render, deleted: true });
    },
  },
];

/** Without an id, the address would be that of the whole list. */
function checked(given: unknown): string {
  if (given === '') throw new TintypeError('validation_error', 'id: is empty.');
  return String(given);
}

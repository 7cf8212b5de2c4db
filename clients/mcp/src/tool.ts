// What the tools have in common.
import { toSnake } from '../../library/src/letter-case.ts';
import { omit, type ObjectSchema } from '../../shared/src/fields.ts';
import type { ServiceAccess } from '../../shared/src/service.ts';
import type { AllowedFolders } from './allowed-folders.ts';
import type { Content, Tool, ToolResult } from './protocol.ts';

export interface Access extends Pick<ServiceAccess, 'client' | 'note'> {
  folders: AllowedFolders;
  signal: AbortSignal;
}

export interface RunnableTool extends Tool {
  run(input: Record<string, unknown>, access: Access): Promise<ToolResult>;
}

export const annotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: true };

const saveTo = {
  type: 'string',
  description: 'Also write it to this local file, or into this local folder, in an allowed folder.',
};
const overwrite = {
  type: 'boolean',
  default: false,
  description: 'Replace the file of save_to if it exists. Otherwise an existing file is an error.',
};

/** Bytes or a link: the tool decides that, so `response` is no input. */
export function withSaveTo(request: ObjectSchema, more: Record<string, object> = {}): ObjectSchema {
  const schema = omit(request, 'response');
  return { ...schema, properties: { ...schema.properties, save_to: saveTo, overwrite, ...more } };
}

/** The same facts as structured content and as text, for hosts that show only text. */
export function resultOf(facts: object, ...content: Content[]): ToolResult {
  // JSON leaves out undefined fields.
  const text = JSON.stringify(toSnake(facts), null, 2);
  return {
    content: [...content, { type: 'text', text }],
    structuredContent: JSON.parse(text) as Record<string, unknown>,
  };
}

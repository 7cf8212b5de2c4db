// The part of the Model Context Protocol that a server with tools needs: JSON-RPC 2.0, one message per line.
// https://modelcontextprotocol.io/specification/2025-11-25
import type { ObjectSchema } from '../../shared/src/fields.ts';

/** The newest first. A client that asks for one of these gets it, any other client gets the newest. */
export const protocolVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

type Id = string | number;

export interface Message {
  jsonrpc: '2.0';
  id?: Id;
  method?: string;
  params?: Record<string, unknown>;
}

export const rpcErrors = {
  parse: -32_700,
  request: -32_600,
  method: -32_601,
  params: -32_602,
  internal: -32_603,
};

export class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: ObjectSchema;
  outputSchema: { type: 'object'; properties: Record<string, object>; required: string[] };
  annotations: Record<string, boolean>;
}

export type Content =
  | { type: 'text'; text: string }
  | { type: 'image'; data: string; mimeType: string }
  | { type: 'resource_link'; uri: string; name: string; mimeType: string; size?: number };

export interface ToolResult {
  content: Content[];
  /** Follows the tool's outputSchema; absent from an error. */
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/** The message of a line; undefined if it has none. */
export function parseMessage(line: string): Message | undefined {
  try {
    const message = JSON.parse(line) as Message | null;
    return typeof message === 'object' && message !== null && message.jsonrpc === '2.0' ? message : undefined;
  } catch {
    return undefined;
  }
}

// An MCP server over stdio: the service's three verbs as tools. A picture comes back as image content, so that it is seen.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
} from '@modelcontextprotocol/sdk/types.js';
import { TintypeError } from '../errors.ts';
import type { Meta } from '../meta.ts';
import type { Tintype } from '../tintype.ts';
import { version } from '../version.ts';
import { checkInput } from './check-input.ts';
import { createTools } from './tools.ts';

export interface McpParts {
  client: Tintype;
  note(unit: 'uploads' | 'renders', meta: Meta | undefined): Promise<void>;
  say(line: string): void;
  signal: AbortSignal;
}

/** Resolves when the assistant has gone. */
export async function serveMcp(parts: McpParts): Promise<void> {
  const tools = createTools(parts);
  const mcpServer = new McpServer({ name: 'tintype', version }, { capabilities: { tools: {} } });
  // The tools' schemas are those of the API's document, so the server beneath is spoken to directly.
  const { server } = mcpServer;
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ run: _run, ...description }) => description),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool) {
      const known = tools.map(({ name }) => name).join(', ');
      throw new McpError(ErrorCode.InvalidParams, `there is no tool ${params.name}; the tools are ${known}`);
    }
    try {
      checkInput(tool.inputSchema, params.arguments ?? {});
      return await tool.run(params.arguments ?? {}, signal);
    } catch (error) {
      parts.say(`${params.name}: ${String(error)}`);
      return failure(explain(error));
    }
  });
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('close', resolve);
    parts.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await mcpServer.connect(new StdioServerTransport());
  await ended;
  await mcpServer.close();
}

function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

function explain(error: unknown): string {
  if (!(error instanceof TintypeError)) return error instanceof Error ? error.message : String(error);
  const request = error.requestId === undefined ? '' : ` Request id: ${error.requestId}.`;
  return `${error.code}: ${error.message}${request}`;
}

// tt mcp: the tools of an assistant, over stdio.
import { say, type Command } from './command.ts';
import { UsageError } from './exit-codes.ts';
import { openService } from './service.ts';

export const mcp: Command = {
  summary: 'Serve the tools upload_image, screenshot and pdf to an assistant',
  help: `Usage: tt mcp

A Model Context Protocol server over stdio, with the tools upload_image, screenshot and pdf. An assistant starts it; it takes the
key of "tt login", or TINTYPE_URL and TINTYPE_API_KEY.

Examples:
  claude mcp add tintype -- npx -y @tintype/client mcp
  {"mcpServers": {"tintype": {"command": "npx", "args": ["-y", "@tintype/client", "mcp"]}}}`,
  options: {},

  async run({ signal }) {
    const { client, note } = await openService();
    // Loaded here, so that nothing else needs the SDK to be installed.
    const { serveMcp } = await import('../mcp/serve.ts').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
      throw new UsageError(
        'the MCP server needs the package @modelcontextprotocol/sdk; install it beside @tintype/client',
      );
    });
    await serveMcp({ client, note, say, signal });
    return 0;
  },
};

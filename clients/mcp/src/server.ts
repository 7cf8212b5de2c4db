// The methods of the MCP server: its name, its tools, and calls of them.
import { TintypeError } from '../../library/src/errors.ts';
import { version } from '../../library/src/version.ts';
import type { ServiceAccess } from '../../shared/src/service.ts';
import type { AllowedFolders } from './allowed-folders.ts';
import { checkInput } from './check-input.ts';
import { protocolVersions, rpcErrors, RpcError, type ToolResult } from './protocol.ts';
import type { StdioParts } from './stdio.ts';
import { tools } from './tools.ts';

export interface ServerParts {
  /** Called for each tool call, so that a later login takes effect. */
  open(): Promise<Pick<ServiceAccess, 'client' | 'note'>>;
  say(line: string): void;
  folders: AllowedFolders;
}

export function createServer({ open, say, folders }: ServerParts): StdioParts['methods'] {
  return {
    initialize: ({ params }) => ({
      protocolVersion:
        protocolVersions.find((known) => known === params['protocolVersion']) ?? protocolVersions[0],
      capabilities: { tools: {} },
      serverInfo: { name: 'tintype', title: 'Tintype', version },
      instructions: `${instructions} ${placesOf(folders)}`,
    }),
    ping: () => ({}),
    'tools/list': () => ({ tools: tools.map(({ run: _run, ...description }) => description) }),
    async 'tools/call'({ params, signal, notify }) {
      const tool = tools.find(({ name }) => name === params['name']);
      if (!tool) {
        const known = tools.map(({ name }) => name).join(', ');
        throw new RpcError(
          rpcErrors.params,
          `there is no tool ${String(params['name'])}; the tools are ${known}`,
        );
      }
      const input = (params['arguments'] ?? {}) as Record<string, unknown>;
      const stopProgress = tellProgress(params, tool.title, notify);
      try {
        checkInput(tool.inputSchema, input);
        return await tool.run(input, { ...(await open()), signal, folders });
      } catch (error) {
        say(`${tool.name}: ${String(error)}`);
        return failure(explain(error));
      } finally {
        stopProgress();
      }
    },
  };
}

const instructions =
  'Tools of a Tintype service, which hosts images and renders public web pages. Each picture and PDF spends a unit of a monthly quota, ' +
  'so do not repeat one that succeeded. To show a page to other people, set link: true; to keep it as a local file, set save_to.';

const placesOf = ({ list }: AllowedFolders): string =>
  list.length === 0
    ? 'No local folder is allowed: use link and data.'
    : `Local files are read and written only in ${list.join(', ')}.`;

/** A client gives up after a minute without progress, and a render may take longer. */
const progressEveryMs = 1000;

function tellProgress(
  params: Record<string, unknown>,
  message: string,
  notify: (method: string, params: object) => void,
): () => void {
  const { progressToken } = (params['_meta'] ?? {}) as { progressToken?: string | number };
  if (progressToken === undefined) return () => {};
  let progress = 0;
  const tell = (): void => notify('notifications/progress', { progressToken, progress: progress++, message });
  tell();
  const timer = setInterval(tell, progressEveryMs);
  return () => clearInterval(timer);
}

function failure(text: string): ToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

function explain(error: unknown): string {
  if (!(error instanceof TintypeError)) return error instanceof Error ? error.message : String(error);
  const sentence = /[.!?]$/.test(error.message) ? error.message : `${error.message}.`;
  const request = error.requestId === undefined ? '' : ` Request id: ${error.requestId}.`;
  return `${error.code}: ${sentence}${request}`;
}

// Answers requests that arrive as lines on stdin, concurrently, until stdin ends.
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { parseMessage, rpcErrors, RpcError, type Message } from './protocol.ts';

interface Call {
  params: Record<string, unknown>;
  /** Aborted when the client cancels the request or goes. */
  signal: AbortSignal;
  notify(method: string, params: object): void;
}

export interface StdioParts {
  input: Readable;
  output: Writable;
  methods: Record<string, (call: Call) => unknown>;
  signal: AbortSignal;
}

/** Resolves when the client has gone. */
export async function serveStdio({ input, output, methods, signal }: StdioParts): Promise<void> {
  const underWay = new Map<unknown, AbortController>();
  const lines = createInterface({ input });
  const stop = (): void => lines.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const line of lines) {
      if (line.trim() === '') continue;
      const message = parseMessage(line);
      if (!message)
        send({ id: null, error: { code: rpcErrors.parse, message: 'not a JSON-RPC 2.0 message' } });
      else if (message.method === 'notifications/cancelled')
        underWay.get(message.params?.['requestId'])?.abort(new Error('cancelled'));
      else if (message.method !== undefined && message.id !== undefined) void answer(message);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    for (const controller of underWay.values()) controller.abort(new Error('the client has gone'));
  }

  function send(message: object): void {
    output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  async function answer({ id, method = '', params = {} }: Message): Promise<void> {
    const controller = new AbortController();
    underWay.set(id, controller);
    const notify = (name: string, content: object): void => {
      if (!controller.signal.aborted) send({ method: name, params: content });
    };
    const outcome = await run(method, { params, signal: controller.signal, notify });
    underWay.delete(id);
    // A cancelled request gets no answer.
    if (!controller.signal.aborted) send({ id, ...outcome });
  }

  async function run(method: string, call: Call): Promise<object> {
    try {
      const handler = Object.hasOwn(methods, method) ? methods[method] : undefined;
      if (!handler) throw new RpcError(rpcErrors.method, `there is no method ${method}`);
      return { result: await handler(call) };
    } catch (error) {
      const code = error instanceof RpcError ? error.code : rpcErrors.internal;
      return { error: { code, message: error instanceof Error ? error.message : String(error) } };
    }
  }
}

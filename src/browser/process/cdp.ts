// A client for the Chrome DevTools Protocol over the debugging pipe: commands, sessions and events, typed by
// devtools-protocol.
import type { Readable, Writable } from 'node:stream';
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js';
import { readMessages } from '#browser/process/cdp-messages.ts';

type Commands = ProtocolMapping.Commands;
type Events = ProtocolMapping.Events;

export interface CdpSession {
  readonly id: string | undefined;
  /** Rejects with the signal's reason on abort, and with a CdpError if the browser refuses or is gone. */
  send<Method extends keyof Commands>(
    method: Method,
    params: Commands[Method]['paramsType'][0],
    signal?: AbortSignal,
  ): Promise<Commands[Method]['returnType']>;
  /** The decoded picture. Rejects with AnswerTooLarge above this many bytes. */
  capture(
    params: Commands['Page.captureScreenshot']['paramsType'][0],
    maxBytes: number,
    signal?: AbortSignal,
  ): Promise<Buffer>;
  on<Event extends keyof Events>(event: Event, handler: (params: Events[Event][0]) => void): void;
  /** Forgets the session: drops its handlers and rejects its pending calls. */
  forget(): void;
}

export interface CdpConnection {
  readonly root: CdpSession;
  session(id: string): CdpSession;
  /** Rejects everything in flight; nothing can be sent afterwards. */
  close(reason: string): void;
}

/** A refusal by the browser, or the end of the connection. */
export class CdpError extends Error {
  readonly method: string;
  readonly connectionLost: boolean;

  constructor(method: string, message: string, connectionLost = false) {
    super(`${method}: ${message}`);
    this.name = 'CdpError';
    this.method = method;
    this.connectionLost = connectionLost;
  }
}

/** The picture is larger than the caller accepts. */
export class AnswerTooLarge extends Error {
  constructor(maxBytes: number) {
    super(`the picture is larger than ${maxBytes} bytes`);
    this.name = 'AnswerTooLarge';
  }
}

interface Pending {
  method: string;
  sessionId: string | undefined;
  settle(error: Error | undefined, result?: unknown): void;
}

interface Message {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { message: string };
}

type Handlers = Map<string, ((params: never) => void)[]>;

export function connectCdp(
  input: Writable,
  output: Readable,
  onBroken: (reason: string) => void,
): CdpConnection {
  const calls = createCalls(write);
  const sessions = new Map<string, Handlers>();
  const rootHandlers: Handlers = new Map();
  let isClosed = false;

  function close(reason: string): void {
    if (isClosed) return;
    isClosed = true;
    calls.close(reason);
    sessions.clear();
    onBroken(reason);
  }

  input.on('error', (error) => close(error.message));
  output.on('error', (error) => close(error.message));
  output.on('close', () => close('the browser closed its pipe'));
  output.on('end', () => close('the browser closed its pipe'));
  const inTurn = createMessageQueue((error) =>
    close(`the browser's message was not understood: ${String(error)}`),
  );
  readMessages(output, {
    onMessage: (text) => inTurn(() => dispatch(text)),
    onTooLarge: () => close('the browser sent a message that is too large'),
  });

  function dispatch(text: string): void {
    // Checked before the text is parsed, because parsing is the most expensive step.
    if (isEvent(text) && !hasHandler(text)) return;
    const message = JSON.parse(text) as Message;
    if (message.id !== undefined) return calls.answer(message.id, message);
    const handlers = message.sessionId === undefined ? rootHandlers : sessions.get(message.sessionId);
    for (const handler of handlers?.get(message.method ?? '') ?? []) handler(message.params as never);
  }

  function hasHandler(event: string): boolean {
    return (sessions.get(sessionOf(event)) ?? rootHandlers).has(methodOf(event));
  }

  /** Commands sent in the same tick are written to the pipe together, because each write wakes the browser. */
  function write(text: string): void {
    if (input.writableCorked === 0) {
      input.cork();
      process.nextTick(() => input.uncork());
    }
    input.write(text);
  }

  function createSession(id: string | undefined, handlers: Handlers): CdpSession {
    return {
      id,
      send: (method, params, signal) => calls.send(id, method, params, signal),
      async capture(params, maxBytes, signal) {
        const { data } = await calls.send<{ data: string }>(id, 'Page.captureScreenshot', params, signal);
        const bytes = Buffer.from(data, 'base64');
        if (bytes.length > maxBytes) throw new AnswerTooLarge(maxBytes);
        return bytes;
      },
      on(event, handler) {
        const list = handlers.get(event);
        if (list) list.push(handler);
        else handlers.set(event, [handler]);
      },
      forget() {
        if (id === undefined) return;
        sessions.delete(id);
        calls.forget(id);
      },
    };
  }

  return {
    root: createSession(undefined, rootHandlers),
    session(id) {
      const handlers: Handlers = new Map();
      sessions.set(id, handlers);
      return createSession(id, handlers);
    },
    close,
  };
}

/** Commands that wait for their answer. */
function createCalls(write: (text: string) => void) {
  const pending = new Map<number, Pending>();
  let nextId = 1;
  let closedBecause: string | undefined;

  function end(reason: string, isEnded: (call: Pending) => boolean): void {
    for (const [id, call] of pending) {
      if (!isEnded(call)) continue;
      pending.delete(id);
      call.settle(new CdpError(call.method, reason, true));
    }
  }

  return {
    send<T>(
      sessionId: string | undefined,
      method: string,
      params: unknown,
      signal: AbortSignal | undefined,
    ): Promise<T> {
      return new Promise((resolve, reject) => {
        if (closedBecause !== undefined) return reject(new CdpError(method, closedBecause, true));
        if (signal?.aborted) return reject(signal.reason as Error);
        const id = nextId++;
        const stopListening = onAbort(signal, () => {
          pending.delete(id);
          reject(signal?.reason as Error);
        });
        pending.set(id, {
          method,
          sessionId,
          settle(error, result) {
            stopListening();
            if (error) reject(error);
            else resolve(result as T);
          },
        });
        write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
      });
    },
    answer(id: number, { error, result }: Message): void {
      const call = pending.get(id);
      pending.delete(id);
      call?.settle(error && new CdpError(call.method, error.message), result);
    },
    forget: (sessionId: string): void => end('the session is over', (call) => call.sessionId === sessionId),
    close(reason: string): void {
      closedBecause = reason;
      end(reason, () => true);
    },
  };
}

/** In Chromium's format, a message that starts with a method is an event, and one that starts with an id is an answer. */
const isEvent = (text: string): boolean => text.startsWith('{"method"');

const methodOf = (event: string): string => event.slice(methodAt, event.indexOf('"', methodAt));
const methodAt = '{"method":"'.length;

// The last field of a message: ,"sessionId":"32 characters"}
const sessionOf = (event: string): string => event.slice(-idCharacters - 2, -2);
const idCharacters = 32;

const abortsOf = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Returns what stops listening. All calls with one signal share a listener: a signal compares each new listener with all that it
 * has, and a page with a thousand frames makes a thousand calls at once.
 */
function onAbort(signal: AbortSignal | undefined, abort: () => void): () => void {
  if (!signal) return () => {};
  const aborts = abortsOf.get(signal) ?? listenOnce(signal);
  aborts.add(abort);
  return () => aborts.delete(abort);
}

function listenOnce(signal: AbortSignal): Set<() => void> {
  const aborts = new Set<() => void>();
  abortsOf.set(signal, aborts);
  signal.addEventListener('abort', () => aborts.forEach((abort) => abort()), { once: true });
  return aborts;
}

/** Code that awaits an answer continues before the next message is processed, even if both came in one chunk. */
function createMessageQueue(onError: (error: unknown) => void): (task: () => void) => void {
  let waiting: (() => void)[] = [];
  // An index, because shift() moves the whole array: a chunk of 200,000 messages took two minutes.
  let first = 0;
  const next = () => {
    try {
      waiting[first]!();
    } catch (error) {
      onError(error);
    }
    first += 1;
    if (first < waiting.length) return queueMicrotask(next);
    waiting = [];
    first = 0;
  };
  return (task) => {
    if (waiting.push(task) === 1) queueMicrotask(next);
  };
}

// Gives Node's HTTP parser the bytes of each connection in portions whose work is bounded. The parser processes all that one read
// brings before anything else runs, and calls JavaScript for each chunk and each request in it.
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { limits } from '#core/limits.ts';
import { createChunkJoiner } from '#http/connection/chunked-body.ts';

/**
 * Bytes a client may still send after its response: twice the largest form, because some clients read only after sending
 * everything.
 */
const drainBytes = 2 * limits.batchBytes;
/**
 * Reads that a connection may make in one turn of the event loop, whatever their size, and what more must have on average. Only TLS
 * makes many small ones, because each of its records is one: the bytes of a plain connection arrive together.
 */
const freeReads = 32;
const leastAverageBytes = 256;
/**
 * Heads of requests and reads of chunks, of all connections together. The others wait for the next turn, so that responses and files
 * get theirs.
 */
const portionsPerTurn = 32;
/**
 * Reads of unwanted bytes and pipelined requests in a millisecond, of all connections together: 128 MB a second, or 2,000 requests.
 */
const laterPerMs = 2;
/** Smaller memory is not worth a call. */
const leastFreedBytes = 16 * 1024;
const emptyLine = Buffer.from('\r\n\r\n');
const lineBreak = Buffer.from('\r\n');
const nothing = Buffer.alloc(0);

/** The code of the error for `clientError` when the chunks of a body are too small. */
export const tooFineChunks = 'TINTYPE_TOO_FINE_CHUNKS';

interface Feed {
  /** The parser has read the head of this request. */
  begin(request: IncomingMessage): void;
  /** A response is sent, and the body of its request is still arriving. */
  drain(): void;
}

interface FeedSettings {
  drainMs: number;
  turns: Turns;
  /** Lets a connection continue with what can wait: pipelined requests, and bytes that nobody wants. */
  later: (socket: Socket) => void;
  refuse: (error: Error, socket: Socket) => unknown;
}

/** `onConnection` is the event with which Node attaches its parser. */
export function feedParsers(
  server: Server,
  { onConnection, drainMs }: { onConnection: 'connection' | 'secureConnection'; drainMs: number },
) {
  const feeds = new WeakMap<Socket, Feed>();
  const settings: FeedSettings = {
    drainMs,
    turns: createTurns(),
    later: createLine(),
    refuse: (error, socket) => server.emit('clientError', error, socket),
  };
  server.on(onConnection, (socket: Socket) => feeds.set(socket, createFeed(socket, settings)));
  server.prependListener('request', (request) => feeds.get(request.socket)?.begin(request));
  return { drain: ({ socket }: IncomingMessage): void => feeds.get(socket)?.drain() };
}

interface Turns {
  /** The turn of the event loop, as a number. */
  now(): number;
  /** True for the first portions of a turn. */
  takePortion(): boolean;
}

/** Turns are counted only while they are asked for. */
function createTurns(): Turns {
  let [turn, portions, isCounted] = [0, 0, false];
  function now(): number {
    if (!isCounted) {
      isCounted = true;
      setImmediate(() => {
        [turn, portions, isCounted] = [turn + 1, 0, false];
      });
    }
    return turn;
  }
  return {
    now,
    takePortion() {
      now();
      portions += 1;
      return portions <= portionsPerTurn;
    },
  };
}

/** Pauses a connection until its turn comes: a few continue in each millisecond. */
function createLine(): (socket: Socket) => void {
  const waiting: Socket[] = [];
  let timer: NodeJS.Timeout | undefined;
  return (socket) => {
    waiting.push(socket.pause());
    timer ??= setInterval(() => {
      for (const next of waiting.splice(0, laterPerMs)) next.resume();
      if (waiting.length > 0) return;
      clearInterval(timer);
      timer = undefined;
    }, 1);
  };
}

function createFeed(socket: Socket, { drainMs, turns, later, refuse }: FeedSettings): Feed {
  // Node's own listener, which runs the parser. With a listener of ours Node no longer reads the connection past JavaScript.
  const [parse] = socket.listeners('data') as [(bytes: Buffer) => void];
  /** What the next bytes are. `nothing`: they are not read any more. */
  let reading: 'head' | 'body' | 'chunks' | 'trailers' | 'nothing' = 'head';
  let missingBytes = 0;
  let join = createChunkJoiner();
  /** The bytes before the next ones, as far as an empty line could begin in them. */
  let tail: Buffer = nothing;
  /** Bytes for later: the parser is paused, or has had a request in this turn. */
  let held: Buffer = nothing;
  let headTurn = -1;
  let reads = { turn: -1, count: 0, bytes: 0 };
  let isDraining = false;

  socket.off('data', parse).on('data', receive);
  // Node would take the end of the input as permission to close before the response. A pause does not hold it back.
  const onEnd = (socket.listeners('end') as (() => void)[]).find(({ name }) => name.endsWith('socketOnEnd'));
  if (onEnd)
    socket.off('end', onEnd).on('end', () => {
      if (reading !== 'nothing') onEnd();
    });
  socket.on('resume', giveHeld);
  // Node calls it after the last response. Closed with bytes unread, the connection would be reset, and the client might lose the
  // response.
  const { destroySoon } = socket;
  socket.destroySoon = () => {
    if (reading === 'head' && held.length === 0) destroySoon.call(socket);
    else leave();
  };
  return {
    begin({ headers }) {
      const length = Number(headers['content-length'] ?? 0);
      if (headers['transfer-encoding'] !== undefined) {
        reading = 'chunks';
        join = createChunkJoiner();
      } else if (length > 0) {
        reading = 'body';
        missingBytes = length;
      }
    },
    drain() {
      if (reading === 'chunks' || reading === 'trailers') leave();
      else if (reading === 'body') limitDraining();
    },
  };

  function receive(bytes: Buffer): void {
    if (isTooFine(bytes.length)) {
      cut(socket);
      return;
    }
    if (reading === 'nothing') {
      if (!isDraining) socket.pause();
    } else if (held.length > 0) held = Buffer.concat([held, bytes]);
    else {
      give(bytes);
      if (held.length === 0) free(bytes);
    }
    // After a small read, the records that follow in this turn would be queued, which costs more, and not be counted.
    if (isDraining && bytes.length >= leastAverageBytes) later(socket);
  }

  function isTooFine(length: number): boolean {
    const turn = turns.now();
    if (reads.turn !== turn) reads = { turn, count: 0, bytes: 0 };
    reads.count += 1;
    reads.bytes += length;
    return reads.count > freeReads && reads.bytes < reads.count * leastAverageBytes;
  }

  function giveHeld(): void {
    if (held.length === 0 || socket.isPaused()) return;
    const bytes = held;
    held = nothing;
    give(bytes);
  }

  function give(bytes: Buffer): void {
    for (let rest = bytes; rest.length > 0 && !socket.destroyed; rest = rest.subarray(giveSome(rest))) {
      if (reading === 'nothing') return;
      // What came before was not HTTP, and is answered.
      if (socket.writableEnded) {
        leave();
        return;
      }
      if (socket.isPaused()) held = rest;
      else if (reading === 'head' && headTurn === turns.now()) {
        held = rest;
        later(socket);
      } else if ((reading === 'head' || reading === 'chunks') && !turns.takePortion()) {
        held = rest;
        socket.pause();
        setImmediate(() => socket.resume());
      }
      if (held.length > 0) return;
    }
  }

  /** Returns how many bytes it has given to the parser. */
  function giveSome(bytes: Buffer): number {
    if (reading === 'body') return giveBody(bytes);
    if (reading === 'chunks') return giveChunks(bytes);
    return giveLines(bytes);
  }

  function giveBody(bytes: Buffer): number {
    const body = bytes.subarray(0, missingBytes);
    missingBytes -= body.length;
    if (missingBytes === 0) {
      reading = 'head';
      isDraining = false;
    }
    parse(body);
    return body.length;
  }

  function giveChunks(bytes: Buffer): number {
    const { pieces, usedBytes, state } = join(bytes);
    if (state === 'ended') [reading, tail] = ['trailers', lineBreak];
    if (state === 'broken' || state === 'too fine') reading = 'nothing';
    for (const piece of pieces) if (!socket.destroyed && !socket.writableEnded) parse(piece);
    if (state === 'too fine')
      refuse(Object.assign(new Error('chunks are too small'), { code: tooFineChunks }), socket);
    // The parser should have refused it, which ends or pauses the connection.
    if (state === 'broken' && !socket.writableEnded && !socket.isPaused()) socket.destroy();
    return usedBytes;
  }

  /** The head of a request, or trailers: up to an empty line. */
  function giveLines(bytes: Buffer): number {
    const end = endOfLines(bytes);
    if (end === undefined) {
      tail = Buffer.concat([tail, bytes.subarray(-emptyLine.length)]).subarray(1 - emptyLine.length);
      parse(bytes);
      return bytes.length;
    }
    if (reading === 'head') headTurn = turns.now();
    [reading, tail] = ['head', nothing];
    parse(bytes.subarray(0, end));
    return end;
  }

  function endOfLines(bytes: Buffer): number | undefined {
    const across = Buffer.concat([tail, bytes.subarray(0, emptyLine.length - 1)]).indexOf(emptyLine);
    if (across !== -1) return across + emptyLine.length - tail.length;
    const at = bytes.indexOf(emptyLine);
    return at === -1 ? undefined : at + emptyLine.length;
  }

  /** Ends the connection after what was written. What still arrives is discarded, so that the client can read the response. */
  function leave(): void {
    [reading, held] = ['nothing', nothing];
    socket.end();
    limitDraining();
    socket.resume();
  }

  /** A client that is still sending after its response may continue briefly. */
  function limitDraining(): void {
    if (isDraining) return;
    isDraining = true;
    const [bytesBefore, endsAt] = [socket.bytesRead, performance.now() + drainMs];
    const timer = setInterval(() => {
      if (!isDraining) clearInterval(timer);
      else if (performance.now() > endsAt || socket.bytesRead - bytesBefore > drainBytes) socket.destroy();
    }, 100).unref();
    socket.once('close', () => clearInterval(timer));
  }
}

/**
 * Ends a connection and the work on what has already arrived on it. Node would decrypt and deliver the other records of this read
 * even after the end of the connection, and frees the TLS state only later, with this method of its own.
 */
function cut(socket: Socket): void {
  (socket as { _destroySSL?: () => void })._destroySSL?.();
  socket.destroy();
}

/**
 * Returns the memory of a large read: the parser has copied what it needs. Left to the garbage collector, the reads of a 10 MB upload
 * cost 30 ms of CPU time. Records of TLS share their memory, so only a read that fills its own is returned.
 */
function free({ buffer, length }: Buffer): void {
  if (length === buffer.byteLength && length > leastFreedBytes) (buffer as ArrayBuffer).transfer(0);
}

// One attack in a process of its own. The argument is JSON. It runs until stdin ends, then prints how much it has sent. A connection
// that is closed is replaced after the two round trips that a client far away needs for it: a flood of connections is another attack.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { smallPieces, type SmallPieces } from '#lab/prove/small-pieces/attacks.ts';
import { recordsOf } from '#lab/prove/small-pieces/tls-records.ts';

const { index, port, key } = JSON.parse(process.argv[2] ?? '{}') as {
  index: number;
  port: number;
  key: string;
};
const attack = smallPieces[index];
if (!attack) throw new Error(`there is no attack ${index}`);
const reconnectMs = 200;
const blockBytes = 64 * 1024;
/** More does not come from a network. */
const gigabit = 125_000_000;
const sent = { connections: 0, bytes: 0 };
const startedAt = performance.now();
let isOver = false;
const ended = once(process.stdin.on('end', () => (isOver = true)).resume(), 'end');
process.stdout.write('begun\n');
await Promise.all(Array.from({ length: attack.connections }, () => attackAgain(attack)));
process.stdout.write(`${JSON.stringify(sent)}\n`);
process.exit(0);

async function attackAgain(given: SmallPieces): Promise<void> {
  const head = given.head(key);
  const block = Buffer.from(given.unit.repeat(10 * Math.ceil(blockBytes / given.unit.length / 10)), 'latin1');
  while (!isOver) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    if (given.isTls) await sendRecords(socket, head, given.unit);
    else await send(socket, Buffer.from(head, 'latin1'), block, given);
    socket.destroy();
    await delay(reconnectMs);
  }
}

/** Until the service closes the connection; what it answers is read. */
async function send(
  socket: Socket,
  head: Buffer,
  block: Buffer,
  { bytesPerSecond = gigabit, isOnce = false }: SmallPieces,
): Promise<void> {
  let goOn: () => void = () => {};
  socket.on('drain', () => goOn()).on('close', () => goOn());
  socket.resume().write(head);
  sent.connections += 1;
  // Small enough that every connection gets its part of the allowed bytes.
  const piece = bytesPerSecond === gigabit ? block : block.subarray(0, block.length / 10);
  while (!isOver && socket.writable) {
    const mayHaveSent = ((performance.now() - startedAt) / 1_000) * bytesPerSecond;
    if (sent.bytes > mayHaveSent) {
      await delay(5);
      continue;
    }
    sent.bytes += piece.length;
    const hasRoom = socket.write(piece);
    if (isOnce) break;
    const free = new Promise<void>((resolve) => {
      goOn = resolve;
      if (hasRoom) setImmediate(resolve);
    });
    await Promise.race([free, ended]);
  }
  if (isOnce) await Promise.race([new Promise<void>((resolve) => (goOn = resolve)), delay(1_000)]);
}

async function sendRecords(socket: Socket, head: string, unit: string): Promise<void> {
  const records = await recordsOf(
    socket,
    head,
    Array.from({ length: 3_000 }, () => unit),
  );
  if (!records) return;
  sent.connections += 1;
  sent.bytes += records.length;
  const closed = once(socket, 'close').catch(() => {});
  socket.resume().write(records);
  await Promise.race([closed, delay(1_000)]);
}

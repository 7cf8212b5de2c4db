// A TLS client that keeps what it encrypts until there are many small records, so that they arrive with one packet.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect } from 'node:tls';

/** The handshake and the head are sent; resolves to one record for each text. Undefined if the connection failed. */
export async function recordsOf(socket: Socket, head: string, texts: string[]): Promise<Buffer | undefined> {
  const kept: Buffer[] = [];
  let isKeeping = false;
  const wire = new Duplex({
    read() {},
    write(bytes: Buffer, _encoding, done) {
      if (!isKeeping) socket.write(bytes, () => done());
      else {
        kept.push(bytes);
        done();
      }
    },
  });
  const pass = (bytes: Buffer): unknown => wire.push(bytes);
  socket.on('data', pass).once('close', () => wire.destroy());
  const client = connect({ socket: wire, rejectUnauthorized: false });
  client.on('error', () => {}).resume();
  try {
    await Promise.race([
      once(client, 'secureConnect'),
      once(client, 'close').then(() => Promise.reject(new Error('closed'))),
    ]);
    const written = (bytes: string) => new Promise<void>((resolve) => client.write(bytes, () => resolve()));
    await written(head);
    isKeeping = true;
    // One at a time: what waits together is encrypted together.
    for (const text of texts) if (!socket.destroyed) await written(text);
    return socket.destroyed ? undefined : Buffer.concat(kept);
  } catch {
    return undefined;
  } finally {
    socket.off('data', pass);
  }
}

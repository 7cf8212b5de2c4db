// Listeners that nothing may ever reach: TCP and UDP on IPv4 and IPv6 loopback, on one port. Each is reached once on purpose at
// the start, to show that it works.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

export interface Canaries {
  port: number;
  /** Connections and packets since the start. */
  hits(): number;
  close(): void;
}

const addresses = ['127.0.0.1', '::1'];

export async function startCanaries(port: number): Promise<Canaries> {
  let hits = 0;
  const closers: (() => void)[] = [];
  for (const address of addresses) {
    const tcp = createServer((socket) => {
      hits += 1;
      socket.destroy();
    });
    const udp = createSocket(address.includes(':') ? 'udp6' : 'udp4', () => (hits += 1));
    tcp.listen(port, address);
    udp.bind(port, address);
    await Promise.all([once(tcp, 'listening'), once(udp, 'listening')]);
    closers.push(
      () => tcp.close(),
      () => udp.close(),
    );

    const heard = hits + 2;
    const packet = once(udp, 'message');
    udp.send('x', port, address);
    const touch = connect(port, address);
    await Promise.all([packet, once(touch, 'close')]);
    if (hits !== heard) throw new Error(`a canary on ${address} does not sing`);
  }
  const byHand = hits;
  return {
    port,
    hits: () => hits - byHand,
    close: () => closers.forEach((close) => close()),
  };
}

// A proxy between a client and one or more servers that a test can tap, cut or silence. Connections go to the servers in turn.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface TcpProxy {
  port: number;
  /** Called with what the client sends; if it returns false, the data is dropped and the connection is cut. */
  onRequest: (bytes: Buffer) => boolean;
  /** Called with what the server sends; if it returns false, the data is dropped and the connection is cut. */
  onAnswer: (bytes: Buffer) => boolean;
  /** Forwards nothing any more, without closing a connection. */
  isSilent: boolean;
  close: () => Promise<void>;
}

export async function startTcpProxy(targetPorts: number[]): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer((client) => {
    const target = connect(targetPorts[(turn += 1) % targetPorts.length] as number, '127.0.0.1');
    pass(client, target, (bytes) => proxy.onRequest(bytes));
    pass(target, client, (bytes) => proxy.onAnswer(bytes));
  });

  function pass(from: Socket, to: Socket, mayPass: (bytes: Buffer) => boolean): void {
    sockets.add(from);
    from.setNoDelay(true);
    from.on('data', (bytes: Buffer) => {
      if (proxy.isSilent) return;
      if (mayPass(bytes)) {
        to.write(bytes);
        return;
      }
      from.destroy();
      to.destroy();
    });
    from.on('end', () => to.end());
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: TcpProxy = {
    port: (server.address() as AddressInfo).port,
    onRequest: () => true,
    onAnswer: () => true,
    isSilent: false,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
  return proxy;
}

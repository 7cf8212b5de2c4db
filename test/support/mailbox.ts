// A mail server that keeps what it is sent: just enough SMTP for one client.
import { EventEmitter, once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

export interface Mailbox {
  url: string;
  /** The next mail to this address. */
  text: (to: string) => Promise<string>;
  /** The first link in it. */
  link: (to: string) => Promise<string>;
  /** Subjects of the mails to this address that are still here. */
  subjects: (to: string) => string[];
  close: () => Promise<void>;
}

export async function startMailbox(): Promise<Mailbox> {
  const mails: string[] = [];
  const arrived = new EventEmitter();
  const server = createServer((socket) => receive(socket, (mail) => arrived.emit('mail', mails.push(mail))));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  async function nextTo(to: string): Promise<string> {
    for (;;) {
      const index = mails.findIndex((mail) => mail.includes(`To: ${to}`));
      const [mail] = index < 0 ? [] : mails.splice(index, 1);
      if (mail !== undefined) return decodeQuotedPrintable(mail);
      await once(arrived, 'mail', { signal: AbortSignal.timeout(60_000) });
    }
  }

  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}?ignoreTLS=true`,
    text: nextTo,
    async link(to) {
      const link = /https?:\/\/\S+/.exec(await nextTo(to))?.[0];
      if (link === undefined) throw new Error(`the mail to ${to} has no link`);
      return link;
    },
    subjects: (to) =>
      mails
        .filter((mail) => mail.includes(`To: ${to}`))
        .map((mail) => /^Subject: (.*)$/m.exec(decodeQuotedPrintable(mail))?.[1]?.trim() ?? ''),
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
}

function receive(socket: Socket, onMail: (mail: string) => void): void {
  let text = '';
  let isData = false;
  socket.setEncoding('utf8').write('220 mailbox\r\n');
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: string) => {
    text += chunk;
    for (;;) {
      const end = isData ? '\r\n.\r\n' : '\r\n';
      const at = text.indexOf(end);
      if (at < 0) return;
      const part = text.slice(0, at);
      text = text.slice(at + end.length);
      if (isData) onMail(part);
      isData = !isData && part.toUpperCase() === 'DATA';
      socket.write(isData ? '354 go on\r\n' : '250 fine\r\n');
      if (part.toUpperCase() === 'QUIT') socket.end();
    }
  });
}

const decodeQuotedPrintable = (text: string): string =>
  text
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

// Mails go out over SMTP; a failing mail server is logged, and the person does not see it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { pino } from 'pino';
import { createMailer } from '#accounts/mailer.ts';

const letter = {
  to: 'ada@example.com',
  subject: 'Set your password',
  text: 'Follow this link.',
  link: 'http://localhost:3000/reset-password?token=abc',
};

/** Implements as much SMTP as one mail needs, and records what it receives. */
async function startMailServer(): Promise<{ server: Server; url: string; lines: string[] }> {
  const lines: string[] = [];
  const server = createServer((socket) => {
    let isInMail = false;
    socket.write('220 ready\r\n');
    createInterface(socket).on('line', (line) => {
      lines.push(line);
      if (isInMail && line !== '.') return;
      isInMail = line === 'DATA';
      if (line === 'DATA') socket.write('354 go on\r\n');
      else if (line === 'QUIT') socket.end('221 bye\r\n');
      else socket.write('250 ok\r\n');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, lines, url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test('a mail has its sender, recipient, subject and link', async () => {
  const { server, url, lines } = await startMailServer();
  try {
    const mailer = await createMailer({
      smtpUrl: url,
      from: 'Tintype <tintype@localhost>',
      log: pino({ level: 'silent' }),
    });
    assert.equal(mailer.delivery, 'sent');
    mailer.send(letter);
    await mailer.close();
    assert.ok(lines.includes('RCPT TO:<ada@example.com>'));
    assert.ok(lines.some((line) => line.startsWith('MAIL FROM:<tintype@localhost>')));
    assert.ok(lines.includes('Subject: Set your password'));
    const body = lines.join('\n').replaceAll('=\n', '').replaceAll('=3D', '=');
    assert.ok(body.includes(letter.link), body);
  } finally {
    server.close();
  }
});

test('a mail server that does not answer is logged as an error', async () => {
  const { server, url } = await startMailServer();
  server.close();
  await once(server, 'close');
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push(line) });
  const mailer = await createMailer({ smtpUrl: url, from: 'tintype@localhost', log });
  mailer.send(letter);
  await mailer.close();
  assert.match(lines.join(''), /was not sent/);
});

test('without a mail server the link is in the log', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push(line) });
  const mailer = await createMailer({ smtpUrl: undefined, from: 'tintype@localhost', log });
  assert.equal(mailer.delivery, 'logged');
  mailer.send(letter);
  assert.equal((JSON.parse(lines[0] ?? '{}') as { link?: string }).link, letter.link);
});

// The floor for uploads: bare node:http and busboy, the file written, synced and renamed, its folder synced, and one row in
// SQLite with the service's own settings. Nothing is checked, counted, hashed or metered.
import { createWriteStream, mkdirSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { randomUUID } from 'node:crypto';
import busboy from 'busboy';

const folder = process.argv[2];
const spool = join(folder, 'spool');
const store = join(folder, 'store');
mkdirSync(spool, { recursive: true });
mkdirSync(store, { recursive: true });
const database = new DatabaseSync(join(folder, 'floor.db'));
database.exec(`pragma journal_mode = wal; pragma synchronous = full;
  create table uploads (id text primary key, filename text not null, size_bytes integer not null, created_at integer not null)`);
const insert = database.prepare('insert into uploads values (?, ?, ?, ?)');

const server = createServer((request, response) => {
  const stored = [];
  const parser = busboy({ headers: request.headers });
  parser.on('file', (_name, stream, { filename }) => stored.push(keep(stream, filename)));
  parser.on('close', async () => {
    const rows = await Promise.all(stored);
    database.exec('begin');
    for (const row of rows) insert.run(...row);
    database.exec('commit');
    const body = JSON.stringify({ ids: rows.map(([id]) => id) });
    response.writeHead(201, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
  request.pipe(parser);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));

async function keep(stream, filename) {
  const id = randomUUID();
  const spooled = join(spool, id);
  const file = createWriteStream(spooled, { flush: true });
  await pipeline(stream, file);
  await rename(spooled, join(store, id));
  const handle = await open(store, 'r');
  await handle.sync();
  await handle.close();
  return [id, filename, file.bytesWritten, Date.now()];
}

// kill -9 while uploads are stored and webhooks report them: every upload that has a row is reported at least once, nothing else is.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashSecret, newId } from '#core/ids.ts';
import { openSqlite } from '#storage/sqlite.ts';
import type { Finding, Size } from '#lab/prove/proof.ts';
import { upload } from '#lab/prove/faults/requests.ts';
import { createAuthority } from '#test/support/certificates.ts';
import * as images from '#test/support/images.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { endless, readBooks, startProduct, type Product } from '#test/support/product.ts';
import { receiverAddress, startReceiver } from '#test/support/receiver.ts';
import { waitFor } from '#test/support/wait-for.ts';

const clients = 4;
/** Messages after which the process is killed, before the last of them is answered. */
const killAfter = 20;

export async function crashWhileReporting(size: Size): Promise<Finding[]> {
  const rounds = size === 'short' ? 2 : 10;
  const folder = await temporaryFolder();
  const authority = createAuthority();
  const authorityFile = join(folder.path, 'authority.pem');
  await writeFile(authorityFile, authority.cert);
  const receiver = await startReceiver({ authority });
  const product = await startProduct({
    path: folder.path,
    environment: { EGRESS_ALLOW: receiverAddress, NODE_EXTRA_CA_CERTS: authorityFile },
  });
  try {
    const key = await product.newKey(endless);
    await addEndpoint(product, key, `${receiver.base}/hook`);
    const picture = await images.png();
    let acknowledged = 0;
    for (let round = 0; round < rounds; round += 1) {
      if (round > 0) await product.restart();
      const { child, origin, ended } = product.serving;
      const killAt = receiver.received.length + killAfter;
      receiver.answer((_, response) => {
        if (receiver.received.length >= killAt) child.kill('SIGKILL');
        else response.writeHead(204).end();
      });
      const client = async (): Promise<void> => {
        while (child.signalCode === null) {
          const answer = await upload(origin, key, picture);
          if (answer === 'lost') return;
          acknowledged += 1;
        }
      };
      await Promise.all(Array.from({ length: clients }, client));
      await ended;
    }
    receiver.answer((_, response) => void response.writeHead(204).end());
    await product.restart();
    const reported = () =>
      receiver.received.map(({ body }) => (JSON.parse(body.toString()) as { data: { id: string } }).data.id);
    const { uploads } = readBooks(product.path);
    const isComplete = await waitFor(
      'every upload to be reported',
      () => uploads.every((id) => reported().includes(id)),
      60_000,
    ).then(
      () => true,
      () => false,
    );
    const distinct = new Set(reported());
    const twice = reported().length - distinct.size;
    const unknown = [...distinct].filter((id) => !uploads.includes(id)).length;
    return [
      {
        what: `kill -9 while webhooks are sent, ${rounds} times: every stored upload is reported at least once, and nothing else`,
        seen: `${uploads.length} stored, ${acknowledged} acknowledged, ${distinct.size} reported, ${twice} of them again, ${unknown} without a row`,
        holds: isComplete && unknown === 0 && uploads.length >= acknowledged,
      },
    ];
  } finally {
    await product.stop();
    await receiver.close();
    await folder.remove();
  }
}

async function addEndpoint({ path }: Product, key: string, url: string): Promise<void> {
  const database = await openSqlite(join(path, 'tintype.db'));
  try {
    const holder = await database.tables.apiKeys.holderOf(hashSecret(key));
    const accountId = holder?.account_id ?? '';
    await database.tables.ownedBy(accountId).webhooks.insert({
      id: newId(),
      account_id: accountId,
      url,
      events: 'upload.created',
      created_at: Date.now(),
      off_at: null,
      off_reason: null,
      notice: 0,
      waiting: 0,
      next_at: null,
      leased_until: 0,
    });
    await database.tables.webhooks.noteEvents(accountId);
  } finally {
    await database.close();
  }
}

// kill -9 at every point of a queued render, from its request to its end: started again, the service ends it exactly once, charges it
// once, and its webhook arrives.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crashPoints, type CrashPoint } from '#core/crash-points.ts';
import type { Finding, Size } from '#lab/prove/proof.ts';
import { queueRender } from '#lab/prove/faults/requests.ts';
import { serveCommand } from '#lab/prove/serve.ts';
import { createAuthority } from '#test/support/certificates.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { disagreement, endless, readBooks, startProduct } from '#test/support/product.ts';
import { receiverAddress, startReceiver } from '#test/support/receiver.ts';
import { bearer } from '#test/support/requests.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Those of the acceptance, and those of the render that follows it. */
const points: CrashPoint[] = [
  ...crashPoints.job,
  ...crashPoints.render.filter((point) => point !== 'lease taken'),
];
const shortPoints: CrashPoint[] = ['job written', 'job committed', 'render written', 'render committed'];

interface Receipt {
  id: string;
  state: string;
  finished_at: string | null;
  outputs: { text: string | null }[];
}

export async function crashQueuedRenders(size: Size): Promise<Finding[]> {
  const folder = await temporaryFolder();
  const authority = createAuthority();
  const authorityFile = join(folder.path, 'authority.pem');
  await writeFile(authorityFile, authority.cert);
  const crashFile = join(folder.path, 'crash-at');
  const receiver = await startReceiver({ authority });
  const product = await startProduct({
    path: folder.path,
    command: serveCommand({ crashFile }),
    environment: { EGRESS_ALLOW: receiverAddress, NODE_EXTRA_CA_CERTS: authorityFile },
  });
  const tried = size === 'short' ? shortPoints : points;
  const wrong: string[] = [];
  try {
    const key = await product.newKey(endless);
    for (const point of tried) {
      const problem = await crashOnce(point, key);
      if (problem !== undefined) wrong.push(`${point}: ${problem}`);
    }
    return [
      {
        what: 'kill -9 at each point of a queued render: after the next start it ends once, is charged once, and its webhook arrives',
        seen: wrong.join('; ') || `${tried.length} points`,
        holds: wrong.length === 0,
      },
    ];
  } finally {
    await product.stop();
    await receiver.close();
    await folder.remove();
  }

  async function crashOnce(point: CrashPoint, key: string): Promise<string | undefined> {
    const name = point.replaceAll(' ', '-');
    const send = () =>
      queueRender(product.serving.origin, key, {
        html: `<p>${name}`,
        format: 'text',
        webhook_url: `${receiver.base}/${name}`,
        headers: { 'idempotency-key': name },
      });
    const before = readBooks(product.path);
    await writeFile(crashFile, point);
    await send();
    await product.serving.ended;
    await rm(crashFile);
    await product.restart();
    // If the first was accepted, this is the same render; otherwise it is accepted now.
    const answer = await send();
    if (answer === 'lost' || answer.status !== 202)
      return `the repeat: ${answer === 'lost' ? answer : answer.status}`;
    const receipt = await ended(answer.body.id, key);
    if (receipt.state !== 'succeeded') return `it is ${receipt.state}`;
    if (receipt.outputs[0]?.text?.trim() !== name) return 'another text';
    const books = readBooks(product.path);
    if (books.ledger.length !== before.ledger.length + 1)
      return `${books.ledger.length - before.ledger.length} units charged`;
    if (books.renders.length !== before.renders.length + 1)
      return `${books.renders.length - before.renders.length} renders`;
    if (books.jobs !== 0) return `${books.jobs} jobs left`;
    const { body } = await receiver.next(({ path }) => path === `/${name}`);
    const { data } = JSON.parse(body.toString()) as { data: Receipt };
    if (data.id !== answer.body.id) return 'the webhook reports another render';
    return disagreement(books);
  }

  async function ended(id: string, key: string): Promise<Receipt> {
    let receipt: Receipt | undefined;
    await waitFor('the end of the render', async () => {
      const url = `${product.serving.origin}/api/v2/renders/${id}?wait=10`;
      receipt = (await (await fetch(url, { headers: bearer(key) })).json()) as Receipt;
      return receipt.finished_at !== null;
    });
    return receipt!;
  }
}

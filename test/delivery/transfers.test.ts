// Transfers of files: an account whose servers are slow delays itself, not others.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { parseEgressAllow } from '#wall/egress-allow.ts';
import { createOutgoing } from '#wall/outgoing.ts';
import { createWall } from '#wall/wall.ts';
import { createTransfers } from '#delivery/transfers.ts';
import { receiverAddress, startReceiver } from '#test/support/receiver.ts';
import { waitFor } from '#test/support/wait-for.ts';

test('four at once for each account; the next wait for them, and past a number are refused', async () => {
  const held: ServerResponse[] = [];
  const receiver = await startReceiver();
  receiver.answer(({ path }, response) => {
    if (path === '/slow') held.push(response);
    else response.writeHead(200).end('picture');
  });
  const wall = createWall({ allow: parseEgressAllow(receiverAddress) });
  const transfers = createTransfers({ outgoing: createOutgoing({ wall }) });
  const put = (account: string, path: string) =>
    transfers.put(account, { url: receiver.base + path, contentType: 'image/png', body: Buffer.from('x') });
  // These would fill every place of the machine, if one account could have them.
  const slow = Array.from({ length: 160 }, () => put('slow', '/slow').catch((error: Error) => error));
  await waitFor('four to arrive', () => held.length === 4);
  const [first] = await Promise.all([
    transfers.download('other', { url: `${receiver.base}/file`, maxBytes: 100 }, async ({ body }) => {
      let text = '';
      for await (const chunk of body) text += chunk.toString();
      return text;
    }),
    put('other', '/fast'),
  ]);
  assert.equal(first, 'picture');
  assert.equal(held.length, 4);
  receiver.answer((_, response) => void response.writeHead(201).end());
  for (const response of held) response.writeHead(201).end();
  const ends = await Promise.all(slow);
  assert.equal(ends.filter((end) => end === 201).length, 154);
  const refused = ends.filter((end) => end instanceof Error);
  assert.deepEqual([refused.length, (refused[0] as { code?: string }).code], [6, 'concurrency_limited']);
  await receiver.close();
});

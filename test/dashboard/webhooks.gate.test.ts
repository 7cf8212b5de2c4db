// Webhooks in a real browser: an endpoint, its secret, a message that arrives, and the same once more.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { png } from '#test/support/images.ts';
import { receiverAddress, startReceiver, type Receiver } from '#test/support/receiver.ts';
import { formOf } from '#test/support/requests.ts';
import { finish, startDashboard, violations, type Dashboard } from '#test/dashboard/kit.ts';

let receiver: Receiver;
let dashboard: Dashboard;
before(async () => {
  receiver = await startReceiver();
  dashboard = await startDashboard({ EGRESS_ALLOW: receiverAddress });
});
after(async () => {
  await dashboard.close();
  await receiver.close();
});

test('an endpoint is added, its messages arrive and are shown; the secret rotates; it is switched off and removed', async () => {
  const { page, person } = await dashboard.openAs();
  await page.goto('/dashboard/webhooks');
  await page.getByRole('button', { name: 'Add your first endpoint' }).click();
  await page.getByLabel('Address').fill('https://10.0.0.1/');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Must be a public address').waitFor();
  assert.ok(page.troubles.every((trouble) => trouble.includes('422')));
  page.troubles.length = 0;
  await page.getByLabel('Address').fill(`${receiver.base}/hook`);
  await page.getByLabel('An upload is deleted').check();
  assert.deepEqual(await violations(page), []);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const secret = (await page.getByRole('region', { name: 'Secret' }).textContent()) ?? '';
  assert.match(secret, /^whsec_/);
  await page.keyboard.press('Escape');
  await page.getByText('You have not copied it yet').waitFor();
  await page.getByRole('button', { name: 'I have saved it' }).click();

  const form = formOf([[await png(), 'harbour.png']]);
  assert.equal((await person.call('POST /uploads', { form })).status, 201);
  const request = await receiver.next();
  new Webhook(secret).verify(request.body, request.headers as Record<string, string>);
  const message = page.getByRole('button', { name: 'delivered upload.created' });
  await message.click();
  await page.getByText('harbour.png').waitFor();
  assert.deepEqual(await violations(page), []);
  await page.getByRole('button', { name: 'Send again' }).click();
  const again = await receiver.next();
  assert.equal(again.headers['webhook-id'], request.headers['webhook-id']);
  await page.getByRole('cell', { name: '2', exact: true }).waitFor();

  await page.getByRole('button', { name: 'Rotate' }).click();
  await page.getByRole('button', { name: 'Make it' }).click();
  const rotated = (await page.getByRole('region', { name: 'Secret' }).textContent()) ?? '';
  assert.notEqual(rotated, secret);
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await page.getByText('The one before it signs too until').waitFor();

  await page.getByRole('switch').click();
  await page.getByText('off since').waitFor();
  await page.getByRole('button', { name: /^Remove/ }).click();
  await page.getByRole('button', { name: 'Remove it' }).click();
  await page.getByText('No endpoints yet').waitFor();
  await finish(page);
});

// Attacks by an address that was public when it was given, and leads elsewhere when the service goes there: by another answer of its name
// server, or by a redirect.
import type { Render } from '#api/v2/schemas.ts';
import { askForRender } from '#lab/prove/renderer.ts';
import type { Attack, Stage } from '#lab/prove/attacks/stage.ts';
import { callsOf, type Failure } from '#test/support/calls-v2.ts';
import { png } from '#test/support/images.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { formOf } from '#test/support/requests.ts';
import { signedInVisitor } from '#test/support/visitor.ts';
import { waitFor } from '#test/support/wait-for.ts';

const html = '<p>Hello';

/** A receiver that redirects to the canaries, while `work` has both addresses. */
async function withMoves<T>(
  { canaries }: Stage,
  name: string,
  work: (urls: string[]) => Promise<T>,
): Promise<{ result: T; arrived: number }> {
  const at = (host: string) => `https://${host}:${canaries.port}/`;
  const receiver = await startReceiver();
  receiver.answer((_, response) => void response.writeHead(307, { location: at('127.0.0.1') }).end());
  try {
    const result = await work([at(`${name}.rebound.test`), `${receiver.base}/moves`]);
    return { result, arrived: receiver.received.length };
  } finally {
    await receiver.close();
  }
}

const movedMessages =
  (
    name: string,
    what: string,
    give: (
      stage: Stage,
      visitor: Awaited<ReturnType<typeof signedInVisitor>>,
      urls: string[],
    ) => Promise<void>,
  ): Attack =>
  async (stage) => {
    const visitor = await signedInVisitor(stage.service);
    const { result: tried, arrived } = await withMoves(stage, name, async (urls) => {
      await give(stage, visitor, urls);
      const attempts = async () =>
        (await visitor.call('GET /webhooks/deliveries')).body.items.flatMap((item) =>
          item.attempts.slice(0, 1).map(({ status, failure }) => String(status ?? failure)),
        );
      await waitFor('both messages to be tried', async () => (await attempts()).length === 2);
      return (await attempts()).toSorted().join(', ');
    });
    return {
      what: `${what} whose name has another address when the message is sent, and one that redirects`,
      seen: `tried: ${tried}; ${arrived} arrived where it was allowed`,
      holds: tried === '307, not_public' && arrived > 0,
    };
  };

export const movedEndpoint: Attack = movedMessages('endpoint', 'an endpoint', async (_, visitor, urls) => {
  for (const url of urls) await visitor.call('POST /webhooks', { body: { url, events: ['upload.created'] } });
  await visitor.call('POST /uploads', { form: formOf([[await png(), 'a.png']]) });
});

export const movedWebhookUrl: Attack = movedMessages(
  'webhookurl',
  'a `webhook_url`',
  async ({ service }, { email }, urls) => {
    const { key } = await service.accounts.createKey(email, 'proof');
    for (const url of urls)
      await askForRender(`${service.origin}/api/v2/renders`, key, { html, async: true, webhook_url: url });
  },
);

export const movedPut: Attack = async (stage) => {
  const { result, arrived } = await withMoves(stage, 'put', async (urls) => {
    const outputs = urls.map((put_url) => ({ put_url }));
    const { status, bytes } = await stage.render({ html, outputs, response: 'json' });
    const { warnings = [] } = JSON.parse(bytes.toString()) as Partial<Render>;
    return { status, warnings };
  });
  const { status, warnings } = result;
  return {
    what: 'a `put_url` whose name has another address when the file is sent, and one that redirects',
    seen: `answered ${status} with ${warnings.length} warnings; ${arrived} arrived where it was allowed`,
    holds: status === 200 && warnings.length === 2 && arrived === 1,
  };
};

export const movedUpload: Attack = async ({ service, canaries, twin }) => {
  const call = callsOf(service.origin, (await service.newKey()).key);
  const fetched = async (url: string): Promise<string> => {
    const { status, body } = await call<Failure>('POST', '/uploads', { body: { url } });
    return `${status} ${body.error?.field}`;
  };
  // Public when it is checked, and a canary when it is fetched; then a server that redirects to one.
  const rebound = await fetched(`http://up.rebound.test:${canaries.port}/`);
  const location = `http://127.0.0.1:${canaries.port}/`;
  const moved = await fetched(
    twin.route('/moves', (_, response) => void response.writeHead(302, { location }).end()),
  );
  return {
    what: 'the `url` of an upload whose name has another address when the file is fetched, and one that redirects',
    seen: `moved: ${rebound}; redirect: ${moved}`,
    holds: rebound === '422 url' && moved === '502 url',
  };
};

// Attacks by the addresses that come with a render and that its results go to.
import type { Render } from '#http/api/v2/schemas.ts';
import { askForRender } from '#lab/prove/renderer.ts';
import { spelled } from '#lab/prove/attacks/outgoing.ts';
import { type Attack, inTurns } from '#lab/prove/attacks/stage.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { startService } from '#test/support/service.ts';

const html = '<p>Hello';

/** A request with the address in this field. */
const fields: Record<string, (url: string) => object> = {
  put_url: (url) => ({ html, put_url: url }),
  'outputs[1].put_url': (url) => ({ html, outputs: [{}, { put_url: url }], response: 'json' }),
  webhook_url: (url) => ({ html, async: true, webhook_url: url }),
};

export const spelledDelivery: Attack = async ({ canaries, render }) => {
  // Without an allow list, names of private networks are refused as names.
  const service = await startService({ LOG_LEVEL: 'silent' }, 0, ['127.0.0.1:1']);
  const { key } = await service.newKey();
  const ask = (body: object) => askForRender(`${service.origin}/api/v2/renders`, key, body);
  const resolved = ['private', 'private6', 'mixed', 'mixed6'].map(
    (kind) => `https://put.${kind}.test:${canaries.port}/`,
  );
  const refusals = (urls: string[], by: typeof ask) =>
    inTurns(
      Object.entries(fields).flatMap(([field, bodyOf]) => urls.map((url) => ({ field, body: bodyOf(url) }))),
      async ({ field, body }) => {
        const { status, message } = await by(body);
        return status === 422 && message.startsWith(`${field}: `);
      },
    );
  const answers = [...(await refusals(spelled(canaries.port), ask)), ...(await refusals(resolved, render))];
  await service.stop();
  const refused = answers.filter(Boolean).length;
  return {
    what: `a non-public address as ${Object.keys(fields).join(', ')}, in every spelling, and as a name that resolves to one or to a mixture`,
    seen: `${refused} of ${answers.length} refused with 422`,
    holds: refused === answers.length && answers.length > 450,
  };
};

/** Addresses that were public when the request came, and lead elsewhere when the file is sent. */
export const movedDelivery: Attack = async ({ canaries, render }) => {
  const at = (name: string) => `https://${name}:${canaries.port}/`;
  const receiver = await startReceiver();
  receiver.answer((_, response) => void response.writeHead(307, { location: at('127.0.0.1') }).end());
  const outputs = [{ put_url: at('put.rebound.test') }, { put_url: `${receiver.base}/moves` }];
  const { status, bytes } = await render({ html, outputs, response: 'json' });
  const arrived = receiver.received.length;
  await receiver.close();
  const { warnings = [] } = JSON.parse(bytes.toString()) as Partial<Render>;
  return {
    what: 'a `put_url` whose name has another address when the file is sent, and one that redirects',
    seen: `answered ${status} with ${warnings.length} warnings; ${arrived} arrived where it was allowed`,
    holds: status === 200 && warnings.length === 2 && arrived === 1,
  };
};

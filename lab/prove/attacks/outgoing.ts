// Attacks on what the service itself sends: webhooks through a real service, files and downloads through the same dialer.
import { createOutgoing, OutgoingFailure } from '#wall/outgoing.ts';
import { createEgressRules } from '#wall/rules.ts';
import { type Attack, inTurns } from '#lab/prove/attacks/stage.ts';
import { callsOf, type Failure } from '#test/support/calls-v2.ts';
import { deniedUrls, specialBlocks } from '#test/support/address-table.ts';
import { png } from '#test/support/images.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { formOf } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { signedInVisitor, type Visitor } from '#test/support/visitor.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Every spelling over https, at the canary's port unless it names an impossible one. */
export const spelled = (port: number): string[] => {
  const blocks = specialBlocks.flatMap(({ first, last }) => [first, last]);
  const literals = blocks.map((address) => `http://${address.includes(':') ? `[${address}]` : address}/`);
  return [...deniedUrls, ...literals].map((url) =>
    url.replace(/^https?:\/\/(\[[^\]]*\]|[^/:?#]*)(?::[1-9]\d*)?(?=[/?#]|$)/i, `https://$1:${port}`),
  );
};

const addEndpoint = (visitor: Visitor, url: string) =>
  visitor.call('POST /webhooks', { body: { url, events: ['upload.created'] } });

const isRefused = ({ status, body }: Awaited<ReturnType<typeof addEndpoint>>): boolean =>
  status === 422 && body.error.code === 'validation_error' && body.error.message.startsWith('url: ');

export const spelledEndpoint: Attack = async ({ canaries }) => {
  const service = await startService({ LOG_LEVEL: 'silent' }, 0, ['127.0.0.1:1']);
  const visitor = await signedInVisitor(service);
  const answers = await inTurns(spelled(canaries.port), (url) => addEndpoint(visitor, url));
  await service.stop();
  const refused = answers.filter(isRefused).length;
  return {
    what: 'a non-public address as the endpoint of webhooks, in every spelling, and both ends of every special-purpose block',
    seen: `${refused} of ${answers.length} refused with 422`,
    holds: refused === answers.length && answers.length > 150,
  };
};

/** Endpoints that were public when they were added, and lead elsewhere when a message is sent. */
export const movedEndpoint: Attack = async ({ service, canaries }) => {
  const at = (name: string) => `https://${name}:${canaries.port}/`;
  const visitor = await signedInVisitor(service);
  const kinds = ['private', 'private6', 'mixed', 'mixed6'];
  const refused = (await inTurns(kinds, (kind) => addEndpoint(visitor, at(`hook.${kind}.test`)))).filter(
    isRefused,
  );
  const receiver = await startReceiver();
  receiver.answer((_, response) => void response.writeHead(307, { location: at('127.0.0.1') }).end());
  const added = await inTurns([at('hook.rebound.test'), `${receiver.base}/moves`], (url) =>
    addEndpoint(visitor, url),
  );
  await visitor.call('POST /uploads', { form: formOf([[await png(), 'a.png']]) });
  const attempts = async () =>
    (await visitor.call('GET /webhooks/deliveries')).body.items.flatMap((item) =>
      item.attempts.slice(0, 1).map(({ status, failure }) => String(status ?? failure)),
    );
  await waitFor('both messages to be tried', async () => (await attempts()).length === 2);
  const tried = (await attempts()).toSorted().join(', ');
  const arrived = receiver.received.length;
  await receiver.close();
  return {
    what: 'an endpoint whose name resolves to a private address, to a mixture, or to another one when the message is sent; an endpoint that redirects',
    seen: `${refused.length} of ${kinds.length} refused with 422; the other two were tried: ${tried}; ${arrived} arrived where it was allowed`,
    holds:
      refused.length === kinds.length &&
      added.every(({ status }) => status === 201) &&
      tried === '307, not_public' &&
      arrived > 0,
  };
};

/** The file of an upload is fetched from the address that the client names. */
export const fetchedUpload: Attack = async ({ service, canaries, twin }) => {
  const fetchedBy = async (host: TestService) => {
    const call = callsOf(host.origin, (await host.newKey()).key);
    return async (url: string): Promise<string> => {
      const { status, body } = await call<Failure>('POST', '/uploads', { body: { url } });
      return `${status} ${body.error?.field}`;
    };
  };
  const closed = await startService({ LOG_LEVEL: 'silent' }, 0, ['127.0.0.1:1']);
  const urls = spelled(canaries.port).flatMap((url) => [url, url.replace('https:', 'http:')]);
  const spelt = await inTurns(urls, await fetchedBy(closed));
  await closed.stop();
  const fetched = await fetchedBy(service);
  const kinds = ['private', 'private6', 'mixed', 'mixed6'];
  const named = await inTurns(kinds, (kind) => fetched(`http://up.${kind}.test:${canaries.port}/`));
  const answers = [...spelt, ...named];
  const refused = answers.filter((answer) => answer === '422 url').length;
  // Public when it is checked, and a canary when it is fetched; then a server that redirects to one.
  const rebound = await fetched(`http://up.rebound.test:${canaries.port}/`);
  const location = `http://127.0.0.1:${canaries.port}/`;
  const moved = await fetched(
    twin.route('/moves', (_, response) => void response.writeHead(302, { location }).end()),
  );
  return {
    what: 'a non-public address as the url of an upload, in every spelling and by name; one that moves when it is fetched; a redirect',
    seen: `${refused} of ${answers.length} refused with 422; moved: ${rebound}; redirect: ${moved}`,
    holds: refused === answers.length && answers.length > 300 && rebound === '422 url' && moved === '502 url',
  };
};

export const dialer: Attack = async ({ canaries, dns }) => {
  const outgoing = createOutgoing({ rules: createEgressRules({ allow: [], lookup: dns.lookup }) });
  const names = ['put.private.test', 'put.private6.test', 'put.mixed.test', 'put.mixed6.test'];
  const urls = [...spelled(canaries.port), ...names.map((name) => `https://${name}:${canaries.port}/`)];
  const reasonOf = (exchange: Promise<unknown>): Promise<string> =>
    exchange.then(
      () => 'answered',
      (error: unknown) => (error instanceof OutgoingFailure ? error.kind : 'no URL'),
    );
  const reasons = await inTurns(urls, async (url) => {
    if (!URL.canParse(url)) return ['no URL'];
    const put = { url, method: 'PUT', contentType: 'image/png', body: Buffer.from('x') } as const;
    return [
      await reasonOf(outgoing.send(put)),
      await reasonOf(outgoing.download({ url: url.replace('https:', 'http:'), maxBytes: 1 }, async () => {})),
    ];
  });
  const all = reasons.flat();
  const stopped = all.filter((reason) => reason === 'not_public' || reason === 'no URL').length;
  return {
    what: 'the same addresses for a file that is PUT, and for one that is downloaded',
    seen: `${stopped} of ${all.length} stopped before a connection`,
    holds: stopped === all.length,
  };
};

// Attacks by the addresses that clients give. What each way must refuse is in its row of src/wall/ways-out.ts.
import { createOutgoing, OutgoingFailure } from '#wall/outgoing.ts';
import { createWall } from '#wall/wall.ts';
import { waysOut, type DialedWay, type JudgedWay, type Opening } from '#wall/ways-out.ts';
import { allowedAddress, type Attack, inTurns } from '#lab/prove/attacks/stage.ts';
import { askForRender } from '#lab/prove/renderer.ts';
import { deniedUrls, specialBlocks } from '#test/support/address-table.ts';
import { callsOf, type Failure } from '#test/support/calls-v2.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { signedInVisitor, type Visitor } from '#test/support/visitor.ts';

/** What a page loads is not given by a client. */
type GivenWay = Exclude<JudgedWay, 'subresource'>;

interface Person {
  service: TestService;
  visitor: Visitor;
  key: string;
}

async function newPerson(service: TestService, allowedHosts = ''): Promise<Person> {
  const visitor = await signedInVisitor(service);
  await service.accounts.update(visitor.email, { allowedHosts });
  return { service, visitor, key: (await service.accounts.createKey(visitor.email, 'proof')).key };
}

type Give = (person: Person, url: string) => Promise<{ status: number; message: string }>;

const html = '<p>Hello';
const inRender =
  (bodyOf: (url: string) => object): Give =>
  ({ service, key }, url) =>
    askForRender(`${service.origin}/api/v2/renders`, key, bodyOf(url));

/** How a client gives an address of this way, by the field that has it. */
const fieldsOf: Record<GivenWay, Record<string, Give>> = {
  page: {
    url: inRender((url) => ({ url })),
    base_url: inRender((url) => ({ html, base_url: url })),
  },
  webhook: {
    async url({ visitor }, url) {
      const { status, body } = await visitor.call('POST /webhooks', {
        body: { url, events: ['upload.created'] },
      });
      return { status, message: body.error?.message ?? '' };
    },
  },
  webhookUrl: { webhook_url: inRender((url) => ({ html, async: true, webhook_url: url })) },
  put: {
    put_url: inRender((url) => ({ html, put_url: url })),
    'outputs[1].put_url': inRender((url) => ({ html, outputs: [{}, { put_url: url }], response: 'json' })),
  },
  upload: {
    async url({ service, key }, url) {
      const { status, body } = await callsOf(service.origin, key)<Failure>('POST', '/uploads', {
        body: { url },
      });
      return { status, message: body.error?.message ?? '' };
    },
  },
};

/** How many of the addresses are refused in every field of this way, each field by an account of its own. */
async function refusals(
  way: GivenWay,
  service: TestService,
  urls: readonly string[],
  allowedHosts?: string,
): Promise<{ refused: number; given: number }> {
  let refused = 0;
  const fields = Object.entries(fieldsOf[way]);
  for (const [field, give] of fields) {
    const person = await newPerson(service, allowedHosts);
    const answers = await inTurns(urls, (url) => give(person, url));
    refused += answers.filter(
      ({ status, message }) => status === 422 && message.startsWith(`${field}: `),
    ).length;
  }
  return { refused, given: fields.length * urls.length };
}

/** Every spelling with this scheme, at the canary's port unless it names an impossible one. */
const spelled = (scheme: string, port: number): string[] => {
  const blocks = specialBlocks.flatMap(({ first, last }) => [first, last]);
  const literals = blocks.map((address) => `http://${address.includes(':') ? `[${address}]` : address}/`);
  return [...deniedUrls, ...literals].map((url) =>
    url.replace(/^https?:\/\/(\[[^\]]*\]|[^/:?#]*)(?::[1-9]\d*)?(?=[/?#]|$)/i, `${scheme}://$1:${port}`),
  );
};
const resolved = ['private', 'private6', 'mixed', 'mixed6'];
const otherSchemes = ['http', 'https', 'ws', 'wss', 'ftp', 'file', 'gopher', 'blob', 'javascript', 'data'];

/** In every spelling, and as a name that resolves to one. */
const spelledIn =
  (way: GivenWay): Attack =>
  async ({ service, canaries }) => {
    const { what, schemes } = waysOut[way];
    // Without an allow list, names of private networks are refused as names.
    const closed = await startService({ LOG_LEVEL: 'silent' }, 0, ['127.0.0.1:1']);
    const rounds = [];
    for (const scheme of schemes) {
      rounds.push(
        await refusals(way, closed, spelled(scheme, canaries.port)),
        await refusals(
          way,
          service,
          resolved.map((kind) => `${scheme}://${way.toLowerCase()}.${kind}.test:${canaries.port}/`),
        ),
      );
    }
    await closed.stop();
    const [refused, given] = [sum(rounds, 'refused'), sum(rounds, 'given')];
    return {
      what: `${what}: an address that is not public, in every spelling, both ends of every special-purpose block, and as a name that resolves to one or to a mixture`,
      seen: `${refused} of ${given} refused with 422`,
      holds: refused === given && given > 150,
    };
  };

const sum = (rounds: readonly { refused: number; given: number }[], name: 'refused' | 'given'): number =>
  rounds.reduce((total, round) => total + round[name], 0);

/** What opens an address: its scheme and EGRESS_ALLOW, and the account's own private hosts where the row says so. */
const openedFor =
  (way: GivenWay): Attack =>
  async ({ service, canaries }) => {
    const { what, schemes, openings } = waysOut[way];
    const has = (scheme: string): boolean => schemes.some((known) => known === scheme);
    const at = (scheme: string, host = allowedAddress) => `${scheme}://${host}:${canaries.port}/`;
    const others = otherSchemes.filter((scheme) => !has(scheme)).map((scheme) => at(scheme));
    const foreign = await refusals(way, service, others);
    const listed = await refusals(
      way,
      service,
      schemes.map((scheme) => at(scheme)),
    );
    const granted = await refusals(
      way,
      service,
      schemes.map((scheme) => at(scheme, '127.0.0.3')),
      `127.0.0.3:${canaries.port}`,
    );
    const isForGrants = (openings as readonly Opening[]).includes('grants');
    return {
      what: `${what}: schemes other than ${schemes.join(' and ')}, and a private host that the account was granted${isForGrants ? ', which opens it' : ''}`,
      seen: `${foreign.refused} of ${foreign.given} schemes refused, ${listed.refused} of ${listed.given} that EGRESS_ALLOW opens, ${granted.refused} of ${granted.given} that were granted`,
      holds:
        foreign.refused === foreign.given &&
        listed.refused === 0 &&
        granted.refused === (isForGrants ? 0 : granted.given),
    };
  };

/** Behind the check of the field: whatever the address, nothing is dialed. */
const dialedFor =
  (way: DialedWay): Attack =>
  async ({ canaries, dns }) => {
    const { what, schemes } = waysOut[way];
    const outgoing = createOutgoing({ wall: createWall({ allow: [], lookup: dns.lookup }) });
    const urls = schemes.flatMap((scheme) => [
      ...spelled(scheme, canaries.port),
      ...resolved.map((kind) => `${scheme}://dialed-${way.toLowerCase()}.${kind}.test:${canaries.port}/`),
    ]);
    const reasons = await inTurns(urls, async (url) => {
      if (!URL.canParse(url)) return 'no URL';
      const exchange =
        way === 'upload'
          ? outgoing.download({ url, maxBytes: 1 }, async () => {})
          : outgoing.send({ way, url, contentType: 'image/png', body: Buffer.from('x') });
      return exchange.then(
        () => 'answered',
        (error: unknown) => (error instanceof OutgoingFailure ? error.kind : 'no URL'),
      );
    });
    const stopped = reasons.filter((reason) => reason === 'not_public' || reason === 'no URL').length;
    return {
      what: `${what}: the same addresses past the check of the field`,
      seen: `${stopped} of ${reasons.length} stopped before a connection`,
      holds: stopped === reasons.length,
    };
  };

/** What every way has to stand that takes its address from a client. */
export const onGiven = (way: GivenWay): [Attack, Attack] => [spelledIn(way), openedFor(way)];
export const onDialed = (way: DialedWay): [Attack, Attack, Attack] => [...onGiven(way), dialedFor(way)];

// Plays a recorded sequence against a running service and returns it with the answers of today.
import { Agent, request as open } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { contentOf } from '#test/support/exchanges/contents.ts';
import {
  stepsOf,
  type Account,
  type Part,
  type Request,
  type Sequence,
  type Step,
} from '#test/support/exchanges/exchange.ts';
import { createNames, mapTexts, type Names } from '#test/support/exchanges/names.ts';
import { normalise, type Received } from '#test/support/exchanges/normalise.ts';
import type { Stage } from '#test/support/exchanges/stage.ts';

/** Request budgets are for a minute: after this they are whole again. */
const refillMs = 61_000;
const boundary = 'tintype-exchange';

export async function play(sequence: Sequence, usual: Request, stage: Stage): Promise<Sequence> {
  const { clock, site, service } = stage;
  await clock.advance(refillMs);
  const names = createNames(clock.now());
  names.give('site', site.host);
  names.give('closed site', stage.closedHost);
  names.give('receiver', stage.receiver.host);
  for (const [kind, value] of Object.entries(await openAccount(service, sequence.account)))
    names.give(kind, value);
  stage.setBroken(sequence.is_broken === true);
  using agent = disposableAgent();
  try {
    const played: Step[] = [];
    for (const step of stepsOf(sequence)) {
      await clock.advance((step.after_seconds ?? 0) * 1000);
      const request = merge(usual, step.request);
      const origin = request.of === 'site' ? site.base : service.origin;
      for (let sent = 1; sent < (step.times ?? 1); sent += 1) await send(origin, request, names, agent.agent);
      const received = await send(origin, request, names, agent.agent);
      played.push({ ...step, answer: await normalise(received, names) });
    }
    return 'steps' in sequence ? { ...sequence, steps: played } : { ...sequence, ...played[0]! };
  } finally {
    stage.setBroken(false);
  }
}

async function openAccount(
  { accounts, database, newKey }: Stage['service'],
  { plan, overages = false, scope, key_seconds: keySeconds, is_rendering: isRendering, state }: Account = {},
): Promise<Record<string, string>> {
  const made = await newKey({ overages, ...(plan !== undefined && { plan }) });
  const { accountId, email } = made;
  let { key, keyId } = made;
  if (scope !== undefined || keySeconds !== undefined) {
    const terms = {
      ...(scope !== undefined && { scope }),
      ...(keySeconds !== undefined && { expiresInMs: keySeconds * 1000 }),
    };
    ({ key, id: keyId } = await accounts.createKey(email, 'test', terms));
  }
  const lease = { id: `held ${accountId}`, account_id: accountId, key_id: null, expires_at: 1e15, units: 0 };
  if (isRendering === true) await database.tables.renderLeases.insert(lease);
  if (state === 'revoked') await accounts.revokeKey(keyId);
  if (state === 'suspended') await accounts.update(email, { suspended: true });
  if (state === 'unverified') await accounts.update(email, { verified: false });
  return { key, 'key id': keyId };
}

/** A body takes the place of the usual one. */
function merge(usual: Request, { headers, ...given }: Partial<Request>): Request {
  return { ...usual, ...given, headers: { ...usual.headers, ...headers } };
}

async function send(origin: string, request: Request, names: Names, agent: Agent): Promise<Received> {
  const path = names.reveal(request.path);
  const { method } = request;
  const body = bodyOf(request, names);
  const headers: Record<string, string | number> = {};
  if (body) headers['content-length'] = body.length;
  for (const [name, value] of Object.entries(request.headers))
    if (value !== null) headers[name] = names.reveal(value);
  const { promise, resolve, reject } = Promise.withResolvers<Received>();
  const sent = open(origin + path, { method, headers, agent }, (response) => {
    buffer(response)
      .then((bytes) =>
        resolve({
          method,
          path,
          status: response.statusCode ?? 0,
          headers: joined(response.rawHeaders),
          bytes,
        }),
      )
      .catch(reject);
  });
  sent.on('error', reject).end(body);
  return promise;
}

function bodyOf({ json, text, latin1, form }: Request, names: Names): Buffer | undefined {
  if (json !== undefined) return Buffer.from(JSON.stringify(mapTexts(json, names.reveal)));
  if (text !== undefined) return Buffer.from(names.reveal(text));
  if (latin1 !== undefined) return Buffer.from(names.reveal(latin1), 'latin1');
  return form && formOf(form, names);
}

function formOf(parts: Part[], names: Names): Buffer {
  const written = parts.flatMap(({ name, filename, content }) => {
    const file = filename === undefined ? '' : `; filename="${names.reveal(filename)}"`;
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n`;
    return [Buffer.from(head), contentOf(names.reveal(content)), Buffer.from('\r\n')];
  });
  return Buffer.concat([...written, Buffer.from(`--${boundary}--\r\n`)]);
}

function joined(rawHeaders: string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    const value = rawHeaders[at + 1]!;
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}

function disposableAgent() {
  const agent = new Agent({ keepAlive: true });
  return { agent, [Symbol.dispose]: () => agent.destroy() };
}

// POST /api/v2/links: signs a link, which renders when a visitor asks for it. Spec 10.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '#core/clock.ts';
import { invalid } from '#core/errors.ts';
import type { LinkKeys } from '#accounts/link-keys.ts';
import type { Renders } from '#renders/render.ts';
import { lowerLink, payloadOf } from '#api/v2/lower-link.ts';
import type { InstallationSettings } from '#api/v2/fields/row.ts';
import { sendJson } from '#api/v2/send-json.ts';
import { readJson } from '#http/body/json-body.ts';
import { callerOf } from '#http/guards.ts';
import { linkPath } from '#http/addresses.ts';

export interface LinksParts extends InstallationSettings {
  renders: Renders;
  linkKeys: LinkKeys;
  clock: Clock;
  contentBaseUrl: string;
}

export function createLink(parts: LinksParts) {
  const { renders, linkKeys, clock, contentBaseUrl } = parts;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const json = await readJson(request.raw);
    const { render, validUntil } = lowerLink(json, parts);
    renders.check(callerOf(request), render);
    if (validUntil !== null && validUntil <= clock.now())
      throw invalid('valid_until', 'must be in the future; leave it out for a link without an end');
    const payload = payloadOf(json);
    const { id, signature } = await linkKeys.sign(callerOf(request).accountId, payload);
    return sendJson(reply, { url: contentBaseUrl + linkPath(id, payload, signature) });
  };
}

// What a link asks for, whether it was signed here or elsewhere. Spec 10.
import { invalid } from '#core/errors.ts';
import { sortedJson } from '#renders/cache-key.ts';
import type { RenderRequest as Render } from '#renders/render-request.ts';
import {
  linkMaxAge,
  LinkRequest,
  payloadCharacters,
  type LinkRequest as GivenLink,
} from '#api/v2/link-schemas.ts';
import type { InstallationSettings } from '#api/v2/fields/row.ts';
import { requestRows } from '#api/v2/fields/rows.ts';
import { lowerRequest } from '#api/v2/lower-request.ts';
import { parseJson } from '#http/body/json-body.ts';
import { validateGiven } from '#http/body/validate.ts';

export interface LoweredLink {
  render: Omit<Render, 'keepMs'>;
  maxAgeMs: number;
  /** Null for never. */
  validUntil: number | null;
}

export function lowerLink(json: unknown, settings: InstallationSettings): LoweredLink {
  const given = validateLink(json);
  const { max_age = linkMaxAge.default, valid_until = null, ...asked } = given;
  return {
    render: lowerRequest(asked, [], settings),
    maxAgeMs: max_age * 1000,
    validUntil: valid_until === null ? null : Date.parse(valid_until),
  };
}

function validateLink(json: unknown): GivenLink {
  const field = Object.keys(requestRows).find(
    (name) =>
      typeof json === 'object' &&
      json !== null &&
      name in json &&
      !Object.hasOwn(LinkRequest.properties, name),
  );
  if (field !== undefined)
    throw invalid(
      field,
      'is not for links, which anyone can read and which answer with a file; leave it out',
    );
  return validateGiven(LinkRequest, json);
}

/** Equal for equal requests, so that caches know a link again. */
export function payloadOf(json: unknown): string {
  const payload = Buffer.from(sortedJson(json)).toString('base64url');
  if (payload.length > payloadCharacters)
    throw invalid(
      'body',
      `makes a link of ${payload.length} characters, and one has at most ${payloadCharacters}; ` +
        'shorten the document, or host it and send its url',
    );
  return payload;
}

export function parsePayload(payload: string): unknown {
  if (payload.length > payloadCharacters)
    throw invalid('payload', `must have at most ${payloadCharacters} characters, not ${payload.length}`);
  if (!/^[\w-]+$/.test(payload)) throw invalid('payload', 'must be base64url of a JSON object');
  try {
    return parseJson(Buffer.from(payload, 'base64url'));
  } catch {
    throw invalid('payload', 'must be base64url of a JSON object');
  }
}

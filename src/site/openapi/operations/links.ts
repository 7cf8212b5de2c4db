// Signed links in the document of version 2: the call that signs one, and the address that answers anyone. Spec 10.5.
import { payloadCharacters } from '#api/v2/link-schemas.ts';
import { answer, bytes, json, jsonBody, pathParameter } from '#site/openapi/content.ts';
import { linkAnswers, linkRequests } from '#site/openapi/examples-v2.ts';
import { budgetHeaders } from '#site/openapi/headers.ts';
import type { Operation } from '#site/openapi/operation.ts';
import { outputTypes } from '#site/openapi/operations/renders.ts';

const [, , linkKey = '', payload = '', signature = ''] = new URL(linkAnswers.Link.url).pathname.split('/');

export const links = {
  'POST /api/v2/links': {
    id: 'createLink',
    tag: 'Links',
    summary: 'Sign a link',
    description:
      'The link renders when somebody opens it. It is signed with the newest link key of the account; one is made if there is none.',
    requestBody: jsonBody('LinkRequest', linkRequests),
    responses: { 200: answer('The link.', budgetHeaders, json('Link', { link: linkAnswers.Link })) },
    places: ['body'],
  },
  'GET /r/:link_key/:payload/:signature': {
    id: 'openLink',
    tag: 'Links',
    summary: 'The result of a signed link',
    description:
      'For <img> tags and social cards. Renders once for each max_age, however many ask at once; a failure is remembered for 60 s, and ' +
      'meanwhile the last good result is served. Costs at most one render unit for each max_age. Needs no key.',
    parameters: [
      pathParameter('link_key', 'The id of a link key.', linkKey),
      pathParameter(
        'payload',
        `base64url of the JSON of a LinkRequest, at most ${payloadCharacters} characters.`,
        payload,
      ),
      pathParameter(
        'signature',
        'base64url of the HMAC-SHA-256 of "v2." and the payload, with the secret of the link key.',
        signature,
      ),
    ],
    responses: {
      200: answer(
        'The bytes.',
        [
          'x-service-id',
          'x-service-cache',
          'x-service-page-status',
          'x-service-warnings',
          'ETag',
          'Cache-Control',
        ],
        bytes(outputTypes),
      ),
      206: { description: 'The part that Range asks for.', content: bytes(outputTypes) },
      304: { description: 'Unchanged since If-None-Match or If-Modified-Since.' },
      412: { description: 'Not as If-Match or If-Unmodified-Since expects.' },
      416: { description: 'Range asks for a part past the end.' },
    },
    codes: [
      'quota_exceeded',
      'not_found',
      'validation_error',
      'rate_limited',
      'concurrency_limited',
      'internal',
      'render_failed',
    ],
  },
} satisfies Record<string, Operation>;

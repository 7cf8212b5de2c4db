// What becomes of the result: no part of the job, so equal requests that are answered differently share a result.
import { limits } from '#core/limits.ts';
import { choice, flagOff, unit, text, integer, uri } from '#api/fields.ts';
import { rowsOf } from '#api/v2/fields/row.ts';

const { hidden } = rowsOf('delivery', 'Answer');

/** The oldest result that still answers. */
export const maxAgeSeconds = 2_592_000;

export const deliveryRows = {
  response: hidden(
    choice(['file', 'json'], {
      default: 'file',
      description:
        'file: the answer is the file; json: the file is hosted, and the answer is the receipt with its links.',
    }),
    { barredFromLinks: true, lower: (response) => ({ isHosted: response === 'json' }) },
  ),
  async: hidden(
    flagOff(
      'Queue the render and answer at once with its id; its outputs are hosted, whatever response says.',
    ),
    { barredFromLinks: true, lower: (isQueued) => (isQueued ? { isHosted: true } : {}) },
  ),
  webhook_url: hidden(
    uri('A public https address that is sent the receipt when the queued render has ended.'),
    {
      barredFromLinks: true,
      isReadElsewhere: true,
    },
  ),
  max_age: hidden(
    integer(
      0,
      maxAgeSeconds,
      'How old an earlier result of the same request may be, in seconds, to be the answer; it then costs nothing.',
      { default: 0, ...unit('s') },
    ),
    { isReadElsewhere: true },
  ),
  expires_in: hidden(
    integer(
      limits.expiresInSeconds.min,
      limits.expiresInSeconds.max,
      'How long the links to hosted outputs live, in seconds; 86400 is a day.',
      { ...unit('s') },
    ),
    { barredFromLinks: true, lower: (expiresInSeconds) => ({ expiresInSeconds }) },
  ),
  reference: hidden(
    text(200, 'A text of your own, such as an order number, that comes back with the render.'),
  ),
};

/** The fields of one output. */
export const putRows = {
  put_url: rowsOf('delivery', 'Output').secret(
    uri('A public https address that the file is also PUT to, such as a presigned one of S3.'),
    { isReadElsewhere: true },
  ),
};

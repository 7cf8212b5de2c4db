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
      description: 'file: the bytes; json: the receipt, with links to the hosted outputs.',
    }),
    { barredFromLinks: true, lower: (response) => ({ isHosted: response === 'json' }) },
  ),
  async: hidden(
    flagOff('Queues the render and answers at once; its outputs are hosted, whatever response says.'),
    { barredFromLinks: true, lower: (isQueued) => (isQueued ? { isHosted: true } : {}) },
  ),
  webhook_url: hidden(uri('A public https address that gets the receipt when a queued render has ended.'), {
    barredFromLinks: true,
    isReadElsewhere: true,
  }),
  max_age: hidden(
    integer(
      0,
      maxAgeSeconds,
      'Seconds: an earlier result of the same request that is not older answers, and costs nothing.',
      { default: 0, ...unit('s') },
    ),
    { isReadElsewhere: true },
  ),
  expires_in: hidden(
    integer(
      limits.expiresInSeconds.min,
      limits.expiresInSeconds.max,
      'Seconds until the links to hosted outputs expire.',
      { ...unit('s') },
    ),
    { barredFromLinks: true, lower: (expiresInSeconds) => ({ expiresInSeconds }) },
  ),
  reference: hidden(text(200, 'A text of your own that comes back with the render.')),
};

/** The fields of one output. */
export const putRows = {
  put_url: rowsOf('delivery', 'Output').secret(
    uri('A public https address that the bytes are also PUT to, such as a presigned one.'),
    { isReadElsewhere: true },
  ),
};

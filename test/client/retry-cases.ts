// The retry rules of Spec 7 as one table, which the clients of every language are held to.
import { contractErrors } from '#test/support/contract.ts';
import { page, picture, refusal, type Fault } from './support.ts';

export const reset: Fault = (response) => {
  response.destroy();
};
const resetMidBody: Fault = (response) => {
  response.writeHead(200, { 'content-type': 'image/png', 'content-length': '1000' });
  response.write(Buffer.alloc(100), () => response.destroy());
};
// With chance at one half, a back-off is three quarters of 1, 2, 4, 8 seconds, and the first Retry-After has 250 ms more.
export const succeeding: { title: string; faults: Fault[]; waits: number[] }[] = [
  { title: 'no failure', faults: [picture], waits: [] },
  {
    title: '429 rate_limited: after Retry-After',
    faults: [refusal(429, 'rate_limited', { 'retry-after': '7' }), picture],
    waits: [7250],
  },
  {
    title: '429 rate_limited again: Retry-After, then back-off with jitter on top of it',
    faults: [
      refusal(429, 'rate_limited', { 'retry-after': '7' }),
      refusal(429, 'rate_limited', { 'retry-after': '5' }),
      refusal(429, 'rate_limited', { 'retry-after': '5' }),
      picture,
    ],
    waits: [7250, 5750, 6500],
  },
  {
    title: '429 concurrency_limited: after Retry-After',
    faults: [refusal(429, 'concurrency_limited', { 'retry-after': '2' }), picture],
    waits: [2250],
  },
  {
    title: '429 without Retry-After: exponential back-off',
    faults: [refusal(429, 'rate_limited'), refusal(429, 'rate_limited'), picture],
    waits: [750, 1500],
  },
  {
    title: '429 with a date: until that date, by the clock of the service',
    faults: [
      refusal(429, 'rate_limited', {
        date: 'Fri, 02 Jan 2026 12:00:00 GMT',
        'retry-after': 'Fri, 02 Jan 2026 12:00:09 GMT',
      }),
      picture,
    ],
    waits: [9250],
  },
  {
    title: '429 with a date and without Date: until that date, by the clock of this machine',
    faults: [
      (response, request) => {
        response.sendDate = false;
        void refusal(429, 'rate_limited', { 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' })(
          response,
          request,
        );
      },
      picture,
    ],
    waits: [9250],
  },
  {
    title: '429 with a fraction of a second',
    faults: [refusal(429, 'rate_limited', { 'retry-after': '1.5' }), picture],
    waits: [1750],
  },
  {
    title: '503 with Retry-After: as told',
    faults: [refusal(503, 'unavailable', { 'retry-after': '7' }), picture],
    waits: [7250],
  },
  { title: '500 internal: back-off', faults: [refusal(500, 'internal'), picture], waits: [750] },
  {
    title: '5xx without the envelope is transient',
    faults: [page(500), page(502), page(503), page(524), picture],
    waits: [750, 1500, 3000, 6000],
  },
  { title: '502 capture_failed: once', faults: [refusal(502, 'capture_failed'), picture], waits: [750] },
  {
    title: '502 capture_failed: twice',
    faults: [refusal(502, 'capture_failed'), refusal(502, 'capture_failed'), picture],
    waits: [750, 1500],
  },
  { title: 'connection reset before the answer', faults: [reset, reset, picture], waits: [750, 1500] },
  { title: 'connection reset in the middle of the body', faults: [resetMidBody, picture], waits: [750] },
  {
    title: 'several reasons, each with its own rule',
    faults: [
      refusal(429, 'rate_limited', { 'retry-after': '1' }),
      page(503),
      refusal(502, 'capture_failed'),
      picture,
    ],
    waits: [1250, 750, 750],
  },
];

export const final = contractErrors.filter(({ retryable }) => !retryable);

export const persisting: { title: string; fault: Fault; code: string; waits: number[] }[] = [
  {
    title: '429 with Retry-After',
    fault: refusal(429, 'rate_limited', { 'retry-after': '3' }),
    code: 'rate_limited',
    waits: [3250, 3750, 4500, 6000],
  },
  {
    title: '429 that asks for more than five minutes',
    fault: refusal(429, 'rate_limited', { 'retry-after': '301' }),
    code: 'rate_limited',
    waits: [],
  },
  { title: '500', fault: refusal(500, 'internal'), code: 'internal', waits: [750, 1500, 3000, 6000] },
  { title: '5xx without JSON', fault: page(503), code: 'unavailable', waits: [750, 1500, 3000, 6000] },
  {
    title: '502 capture_failed',
    fault: refusal(502, 'capture_failed'),
    code: 'capture_failed',
    waits: [750, 1500],
  },
  {
    title: '502 render_failed',
    fault: refusal(502, 'render_failed'),
    code: 'render_failed',
    waits: [750, 1500],
  },
  { title: 'reset', fault: reset, code: 'connection_failed', waits: [750, 1500, 3000, 6000] },
  { title: 'a redirect', fault: page(301), code: 'bad_answer', waits: [] },
  { title: 'a page instead of a picture', fault: page(200), code: 'bad_answer', waits: [] },
  { title: '4xx without JSON', fault: page(403), code: 'bad_answer', waits: [] },
];

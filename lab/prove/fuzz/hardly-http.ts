// Malformed HTTP: any response has the envelope, and the connection ends with it.
import { addressOf, bearer, expectStatus, headOf, type Generator } from '#lab/prove/fuzz/case.ts';
import { endpoints } from '#lab/prove/fuzz/routes.ts';

/** A request with some bytes changed, or noise. */
export const hardlyHttp: Generator = (random, world) => {
  const path = random.pick([...endpoints, `/f/${world.hosted.slug}`, '/']);
  const headers: [string, string][] = [addressOf(random), bearer(world.keys.open)];
  const extra: [string, string][][] = [
    [['Content-Length', random.pick(['x', '-1', '1e3', '99999999999999999999', '0x10', '+4', ''])]],
    [
      ['Content-Length', '4'],
      ['Content-Length', '5'],
    ],
    [
      ['Content-Length', '4'],
      ['Transfer-Encoding', 'chunked'],
    ],
    [['Transfer-Encoding', random.pick(['gzip', 'chunked, chunked', 'chunked, identity', 'xchunked'])]],
    [['X-Big', 'x'.repeat(random.pick([1_000, 17_000, 70_000]))]],
    [['Expect', 'the-unexpected']],
    [['Bad Name', 'x']],
    [['X', 'a\0b']],
    [
      ['Upgrade', 'websocket'],
      ['Connection', 'Upgrade'],
    ],
    Array.from({ length: 2_100 }, (_, index) => [`X-${index}`, 'y'] as [string, string]),
  ];
  const method = random.pick(['GET', 'POST', 'POST', 'get', 'P OST', '', 'PRI', 'CONNECT']);
  const base = headOf(method, path, [...headers, ...random.pick(extra)]);
  const bytes = random.pick([
    () => base,
    () =>
      Buffer.concat([base, Buffer.from(random.pick(['zz\r\n', '5\r\nab', '0\r\n\r\n', 'abcd', '\r\n\r\n']))]),
    () => random.bytes(random.between(1, 200)),
    () =>
      Buffer.from(
        base
          .toString('latin1')
          .replace('HTTP/1.1', random.pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/9', 'http/1.1', ''])),
        'latin1',
      ),
    () =>
      Buffer.from(base.toString('latin1').replaceAll('\r\n', random.pick(['\n', '\r', '\r\n '])), 'latin1'),
    () =>
      Buffer.from(
        base
          .toString('latin1')
          .replace(/Host: [^\r]*\r\n/, random.pick(['', 'Host: \r\n', 'Host: a\r\nHost: b\r\n'])),
        'latin1',
      ),
    () => base.subarray(0, random.below(base.length)),
  ])();
  return {
    asked: { method: 'GET', path: '/', isUnreadable: true },
    sent: { method, pieces: [bytes], isCut: true },
    mayBeClosed: true,
    judge: (answer) => expectStatus(answer, 200, 304, 400, 401, 404, 405, 408, 413, 415, 422, 426, 431),
  };
};

// Hosted files and pages, with every kind of Range, If-None-Match and Accept. The expected response is decided here, by a second
// implementation of RFC 9110.
import { expectStatus, type Generator } from '#lab/prove/fuzz/case.ts';
import { accepts, queries, simple } from '#lab/prove/fuzz/routes.ts';

export const hostedThings: Generator = (random, world) => {
  const { slug, bytes, etag } = world.hosted;
  const kind = random.pick(['f', 'f', 'f', 'i', 's', 'p']);
  const names = [
    slug,
    slug,
    slug,
    slug,
    `${slug}.png`,
    `${slug}.exe`,
    `${slug}.`,
    slug.slice(1),
    `${slug}%00`,
    '..',
    '%2e%2e',
    '%zz',
    'a'.repeat(500),
    slug.toLowerCase(),
  ];
  const name = random.pick(names);
  const method = random.pick(['GET', 'GET', 'GET', 'HEAD', 'POST', 'PATCH']);
  const size = bytes.length;
  const numbers = [0, 1, 5, size - 1, size, size + 1, 10 ** 15, '99999999999999999999'];
  const range = random.pick([
    `bytes=${random.pick(numbers)}-${random.pick(numbers)}`,
    `bytes=${random.pick(numbers)}-`,
    `bytes=-${random.pick(numbers)}`,
    'bytes=-',
    'bytes=0-1,3-4',
    'items=0-1',
    'bytes 0-1',
    'bytes=a-b',
    'bytes=1-0',
    'BYTES=0-0',
  ]);
  const tag = random.pick([etag, `W/${etag}`, '*', '"other"', `"other", ${etag}`, etag.slice(1), '', ',']);
  const headers: [string, string][] = [['Accept', random.pick(accepts)]];
  const asksRange = random.percent(50);
  const asksTag = random.percent(30);
  if (asksRange) headers.push(['Range', range]);
  if (asksTag) headers.push(['If-None-Match', tag]);
  if (random.percent(5)) headers.push(['If-Modified-Since', 'nonsense'], ['If-Range', etag]);
  const isFile = kind === 'f' && (name === slug || name === `${slug}.png`);
  const isThere = isFile || (kind === 'i' && name === slug);
  return simple(random, method, `/${kind}/${name}${random.pick(queries)}`, headers, (answer) => {
    if (/^(\.\.|%2e%2e|a+)$/.test(name)) return expectStatus(answer, 404, 405);
    if (name === '%zz') return expectStatus(answer, 404);
    if (method === 'POST' || method === 'PATCH') return expectStatus(answer, 405);
    if (!isThere) return expectStatus(answer, 404);
    if (!isFile) return expectStatus(answer, 200);
    const isSame = asksTag && (tag === '*' || tag.includes(etag));
    if (isSame) return expectStatus(answer, 304);
    const wanted = asksRange && method === 'GET' ? rangeOf(range, size) : undefined;
    if (wanted === 'none') return expectStatus(answer, 416);
    const wrong = expectStatus(answer, wanted ? 206 : 200);
    if (wrong !== undefined || method === 'HEAD') return wrong;
    return answer.body.equals(wanted ? bytes.subarray(wanted[0], wanted[1] + 1) : bytes)
      ? undefined
      : `other bytes for ${range}`;
  });
};

/** RFC 9110 14.1.1 to 14.2, for one range. */
function rangeOf(text: string, size: number): [first: number, last: number] | 'none' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(text) ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') return Number(last) === 0 ? 'none' : [Math.max(0, size - Number(last)), size - 1];
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return Number(first) >= size
    ? 'none'
    : [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)];
}

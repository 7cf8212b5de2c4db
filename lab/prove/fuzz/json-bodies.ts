// JSON bodies for the two render endpoints, on an account without renders left: a valid body gets a 402, any other a 422 that
// names a wrong field. json-rules.ts decides what is valid.
import {
  addressOf,
  bearer,
  cut,
  errorOf,
  expectStatus,
  whole,
  words,
  type Generator,
} from '#lab/prove/fuzz/case.ts';
import {
  faultsIn,
  leavesNoRoom,
  otherUrls,
  publicUrls,
  shapes,
  type Rule,
  type Shape,
} from '#lab/prove/fuzz/json-rules.ts';
import type { Random } from '#lab/prove/fuzz/random.ts';

const choices = words('png jpeg webp image json pdf letter a4 legal load networkidle0');
const strangeWords = [...words('PNG tabloid true 1440 toString 𝒂4'), 'png ', '', ' ', '\ud800', '\u0000'];
const lengths = [...words('0 1px 10.5mm .5in 2cm 0in 1.px -1px 1PX 1e2px 00 10'), '1 px'];
const longLengths = ['1'.repeat(14) + 'px', '1'.repeat(15) + 'px', ...words('0.00000000000in px ＋1px ١px')];
const numbers = words('0 1 -1 0.1 0.5 2 2.0000001 0.0999999 319 320 321 900 1440 2000 2000.5 2001 2160').map(
  Number,
);
const farNumbers = words('2161 3840 3841 10000 10001 320.5 1e2 1e21 1e308 -1e308 2147483648 5e-324').map(
  Number,
);
const oddNumbers = [...numbers, ...farNumbers, -0, 2 ** 53];
const prototypeNames = words('__proto__ constructor toString hasOwnProperty prototype __defineGetter__');
const strangeNames = [
  ...words('URL fullPage widht 0 margin.top'),
  'url ',
  '',
  'a'.repeat(300),
  '\ud83d',
  '\u0000',
  ...prototypeNames,
];

type Pairs = [name: string, value: unknown][];

export const jsonBodies: Generator = (random, world) => {
  const endpoint = random.pick(['screenshot', 'pdf'] as const);
  const shape = shapes[endpoint];
  const pairs = randomPairs(random, shape, random.pick([0, 10, 10, 60]));
  const text = write(random, pairs);
  const request = (body: Buffer, contentType: string | undefined) => ({
    method: 'POST',
    path: `/api/v1/${endpoint}`,
    headers: [
      bearer(world.keys.spent),
      addressOf(random),
      ...(contentType === undefined ? [] : ([['Content-Type', contentType]] as [string, string][])),
    ] as [string, string][],
    body,
  });
  const asked = { method: 'POST', path: `/api/v1/${endpoint}` };

  if (random.percent(12)) {
    const [body, contentType] = spoiled(random, text);
    return {
      asked,
      sent: whole(random, request(body, contentType)),
      judge: (answer) => expectStatus(answer, 422) ?? expectField(answer, new Set(['body'])),
    };
  }
  const body = random.percent(1) ? deep(random) : Buffer.from(text);
  const type = random.pick([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/json;charset=ascii',
    'application/json ;x',
  ]);
  if (random.percent(3)) {
    return {
      asked,
      sent: cut(random, request(body, type)),
      mayBeClosed: true,
      judge: (answer) => expectStatus(answer, 422),
    };
  }
  const given = JSON.parse(body.toString()) as Record<string, unknown>;
  const faults = faultsIn(shape, given, '');
  // The address is checked last.
  const isElseRight = [...faults].every((field) => field === 'url');
  if (isElseRight && endpoint === 'pdf' && leavesNoRoom(given)) faults.add('margin');
  return {
    asked,
    sent: whole(random, request(body, type)),
    judge: (answer) =>
      faults.size === 0
        ? expectStatus(answer, 402)
        : (expectStatus(answer, 422) ?? expectField(answer, faults)),
  };
};

function expectField(answer: Parameters<typeof errorOf>[0], fields: Set<string>): string | undefined {
  const { message = '' } = errorOf(answer);
  const isNamed = [...fields].some((field) => message.startsWith(`${field}: `));
  return isNamed ? undefined : `"${message}" names none of ${[...fields].join(', ')}`;
}

/** A body in which each field is valid with the given probability. */
function randomPairs(random: Random, shape: Shape, faultPercent: number): Pairs {
  const pairs: Pairs =
    'url' in shape && !random.percent(faultPercent / 3) ? [['url', urlOf(random, faultPercent)]] : [];
  for (const [name, rule] of Object.entries(shape)) {
    if (name === 'url' || !random.percent(35)) continue;
    pairs.push([
      name,
      typeof rule === 'function' ? valueOf(random, rule, faultPercent) : inside(rule.inside),
    ]);
  }
  if (random.percent(faultPercent / 2)) pairs.push([random.pick(strangeNames), anything(random, 2)]);
  return pairs;

  function inside(shapeInside: Shape): unknown {
    if (random.percent(faultPercent)) return anything(random, 2);
    return Object.fromEntries(randomPairs(random, shapeInside, faultPercent));
  }
}

const urlOf = (random: Random, faultPercent: number): unknown =>
  random.percent(faultPercent) ? random.pick([...otherUrls, null, 1, [], {}, true]) : random.pick(publicUrls);

/** Tries values until one is valid, unless it must be wrong; some rules are hard to satisfy at random, so the attempts are limited. */
function valueOf(random: Random, rule: Rule, faultPercent: number): unknown {
  if (random.percent(faultPercent)) return anything(random, 2);
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const value = plain(random);
    if (rule(value)) return value;
  }
  return random.percent(50);
}

function plain(random: Random): unknown {
  const kind = random.below(5);
  if (kind === 0) return random.percent(50);
  if (kind === 1) return random.pick(choices);
  if (kind === 2) return random.pick(lengths);
  return kind === 3 ? random.pick(numbers) : random.below(4_000);
}

function anything(random: Random, depth: number): unknown {
  switch (random.below(9)) {
    case 0:
      return null;
    case 1:
      return random.pick([...strangeWords, ...longLengths, ...lengths]);
    case 2:
      return random.pick(oddNumbers);
    case 3:
      return depth === 0 ? [] : Array.from({ length: random.below(4) }, () => anything(random, depth - 1));
    case 4:
      return depth === 0 ? {} : { [random.pick(strangeNames)]: anything(random, depth - 1) };
    case 5:
      return String(random.pick(numbers));
    case 6:
      return 'x'.repeat(random.pick([17, 100, 5_000]));
    default:
      return plain(random);
  }
}

/** JSON text written by hand: names may repeat, numbers and strings may be spelled oddly, blanks may be anywhere. */
function write(random: Random, pairs: Pairs): string {
  const blank = (): string => (random.percent(10) ? random.pick([' ', '\n', '\t', '\r\n  ']) : '');
  const members = pairs.map(([name, value]) => `${quoted(name)}${blank()}:${blank()}${written(value)}`);
  // The first of two does not count, whatever its value.
  const [first] = pairs;
  if (first && random.percent(5))
    members.unshift(`${quoted(first[0])}:${random.pick(['null', '1', '"x"', '[]'])}`);
  return `${blank()}{${blank()}${members.join(`${blank()},${blank()}`)}}${blank()}`;

  function written(value: unknown): string {
    if (typeof value === 'string') return quoted(value);
    if (Object.is(value, -0)) return random.pick(['-0', '-0.0', '0e5']);
    if (typeof value === 'number' && random.percent(20)) {
      if (value === 100) return '1e2';
      return random.pick([
        `${value}`,
        value.toExponential(),
        Number.isInteger(value) && Math.abs(value) < 1e15 ? `${value}.0` : `${value}`,
      ]);
    }
    return JSON.stringify(value);
  }

  function quoted(text: string): string {
    if (!random.percent(10)) return JSON.stringify(text);
    const escaped = Array.from(
      { length: text.length },
      (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`,
    );
    return `"${escaped.join('')}"`;
  }
}

/** As deep as a body may be. */
function deep(random: Random): Buffer {
  const levels = random.pick([10, 1_000, 5_000, 30_000]);
  const name = random.pick(['width', 'margin', 'viewport', 'format', 'response', 'scale', 'nothing']);
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"":', '}'],
  ] as const);
  const times = Math.min(levels, Math.floor(60_000 / (open.length + close.length)));
  return Buffer.from(`{"url":"http://1.1.1.1/","${name}":${open.repeat(times)}1${close.repeat(times)}}`);
}

/** Not a JSON object, or not declared as JSON. */
function spoiled(random: Random, text: string): [body: Buffer, contentType: string | undefined] {
  const json = 'application/json';
  switch (random.below(8)) {
    case 0:
      return [
        Buffer.from(text),
        random.pick(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', '']),
      ];
    case 1:
      return [Buffer.from(text), undefined];
    case 2:
      return [
        Buffer.from(
          random.pick(['', ' ', '[]', 'null', '1', '"x"', 'true', '[{}]', 'undefined', 'NaN', '-', '{']),
        ),
        json,
      ];
    case 3:
      return [Buffer.from(`\ufeff${text}`), json];
    case 4:
      return [Buffer.from(text, 'utf16le'), random.pick([json, 'application/json; charset=utf-16'])];
    case 5:
      return [
        Buffer.from(
          text
            .slice(0, -1 - random.below(Math.min(4, text.trimEnd().length - 1)))
            .trimEnd()
            .replace(/\}$/, ''),
        ),
        json,
      ];
    case 6:
      return [Buffer.from(random.pick(['[', '{"a":']).repeat(random.pick([1, 1_000, 10_000]))), json];
    default:
      return [Buffer.from(`{"url":"${'x'.repeat(70_000)}"}`), json];
  }
}

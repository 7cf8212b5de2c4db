// Renders of version 2, as JSON and as forms, on an account without renders left: a right body gets a 402, any other a 422 that names a wrong
// field. render-rules.ts decides what is right.
import { addressOf, bearer, errorOf, expectStatus, whole, type Generator } from '#lab/prove/fuzz/case.ts';
import {
  contradictionsIn,
  fileNames,
  formats,
  outputFields,
  renderFields,
  sources,
  type Body,
  type Values,
} from '#lab/prove/fuzz/render-rules.ts';
import type { Random } from '#lab/prove/fuzz/random.ts';

const path = '/api/v2/renders';

export const renderBodies: Generator = (random, world) => {
  const faults = new Set<string>();
  const given = bodyOf(random, random.pick([0, 0, 3, 15]), faults);
  for (const field of contradictionsIn(given)) faults.add(field);
  const json = Buffer.from(JSON.stringify(given));
  const names = random.percent(25) ? fileNamesOf(random, faults) : undefined;
  if (names && names.length > 0 && 'url' in given) faults.add('file');
  const body = names ? formOf(random, json, names) : json;
  const type = names ? 'multipart/form-data; boundary=XX' : 'application/json';
  const headers: [string, string][] = [bearer(world.keys.spent), addressOf(random), ['Content-Type', type]];
  return {
    asked: { method: 'POST', path },
    sent: whole(random, { method: 'POST', path, headers, body }),
    judge(answer) {
      if (faults.size === 0) return expectStatus(answer, 402);
      const { field = '', message = '' } = errorOf(answer);
      const isNamed = faults.has(field) && message.startsWith(`${field}: `);
      const listed = [...faults].join(', ');
      return expectStatus(answer, 422) ?? (isNamed ? undefined : `"${message}" names none of ${listed}`);
    },
  };
};

/** A body in which each value is wrong with the given probability; the fields of those that are go into `faults`. */
function bodyOf(random: Random, wrongPercent: number, faults: Set<string>): Body {
  const body: Body = {};
  function put(to: Body, name: string, { right, wrong }: Values, at = ''): void {
    if (!random.percent(wrongPercent)) {
      if (right.length > 0) to[name] = random.pick(right);
      return;
    }
    const [value, below = ''] = random.pick(wrong);
    to[name] = value;
    faults.add(at + name + below);
  }
  for (const [name, values] of Object.entries(sources))
    if (random.percent(name === 'html' ? 80 : 6)) put(body, name, values);
  for (const [name, values] of Object.entries(renderFields)) if (random.percent(12)) put(body, name, values);
  if (random.percent(30)) {
    const count = random.between(1, 4);
    body['outputs'] = Array.from({ length: count }, (_, index) =>
      outputOf(random, (to, name, values) => put(to, name, values, `outputs[${index}].`)),
    );
    if (random.percent(80)) {
      body['response'] = 'json';
      faults.delete('response');
    }
  } else Object.assign(body, outputOf(random, put));
  if (random.percent(wrongPercent)) {
    const name = random.pick(['fullPage', 'width', 'toString', 'urls', 'html ']);
    body[name] = 1;
    faults.add(name);
  }
  return body;
}

/** Mostly with the fields of its format. */
function outputOf(random: Random, put: (to: Body, name: string, values: Values) => void): Body {
  const output: Body = {};
  if (random.percent(70)) output['format'] = random.pick(formats);
  const { format = 'png' } = output as { format?: string };
  for (const [name, values] of Object.entries(outputFields))
    if (random.percent(values.fits.includes(format) ? 15 : 0.5)) put(output, name, values);
  return output;
}

function fileNamesOf(random: Random, faults: Set<string>): string[] {
  const count = random.pick([0, 1, 1, 2, 50, 51]);
  const names = Array.from({ length: count }, (_, index) =>
    index < 2 ? String(random.pick(fileNames.right)) : `${index}.png`,
  );
  if (count > 0 && random.percent(20)) {
    names[0] = String(random.pick(fileNames.wrong)[0]);
    faults.add('file');
  }
  if (count > 50 || new Set(names).size < count) faults.add('file');
  return names;
}

function formOf(random: Random, json: Buffer, names: string[]): Buffer {
  const part = (head: string, content: Buffer) =>
    Buffer.concat([
      Buffer.from(`--XX\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
      content,
      Buffer.from('\r\n'),
    ]);
  const files = names.map((name) => part(`name="file"; filename="${name}"`, random.bytes(random.below(40))));
  const request = part('name="request"', json);
  const parts = random.percent(50) ? [request, ...files] : [...files, request];
  return Buffer.concat([...parts, Buffer.from('--XX--\r\n')]);
}

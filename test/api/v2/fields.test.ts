// What follows from the rows of a render's fields, whichever they are: secrets stay out, defaults change nothing, delivery is no part of
// the job. Spec 10.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type, type TSchema } from 'typebox';
import { formats, linkedOf, propertiesOf, rowsOf, shownOf, type Rows } from '#api/v2/fields/row.ts';
import { outputRows, requestRows } from '#api/v2/fields/rows.ts';
import { LinkRequest } from '#api/v2/link-schemas.ts';
import { lowerRequest } from '#api/v2/lower-request.ts';
import { RenderRequest } from '#api/v2/schemas.ts';
import { validateGiven } from '#http/body/validate.ts';
import { canonicalText } from '#renders/cache-key.ts';

const url = 'https://example.com/';
const lower = (body: object) =>
  lowerRequest(validateGiven(RenderRequest, body), [], { blockedHostsFile: null });

/** As somebody may add it. */
const pretend: Rows = {
  token: rowsOf('access', 'Access').secret(
    Type.Object({ name: Type.String(), value: Type.String() }, { description: 'A pretend secret.' }),
  ),
};
const rows: Rows = { ...requestRows, ...pretend };
const secrets = Object.keys(rows).filter((name) => rows[name]?.privacy === 'secret');

test('a secret is in no history, no log and no link, because its row says that it is one', () => {
  assert.deepEqual(secrets, [
    'put_url',
    'password',
    'owner_password',
    'headers',
    'cookies',
    'basic_auth',
    'token',
  ]);
  const request = Type.Object(propertiesOf(rows));
  const links = Object.keys(propertiesOf(linkedOf(rows)));
  for (const name of secrets) {
    assert.deepEqual(shownOf(rows, { [name]: 'hush', format: 'png' }), { format: 'png' }, name);
    assert.ok(!links.includes(name) && !Object.hasOwn(LinkRequest.properties, name), name);
    assert.equal((request.properties[name] as { writeOnly?: boolean }).writeOnly, true, name);
    // The log has the message of a refused request.
    for (const wrong of [['hush'], { name: 'hush', value: ['hush'] }, { hush: 1, a: { b: 'hush' } }, 7])
      assert.throws(
        () => validateGiven(request, { [name]: wrong }),
        ({ message }: Error) => !message.includes('"hush"') && !message.includes('not 7'),
        name,
      );
  }
});

test('a field without a row is not shown, and neither are addresses, documents and what only delivers', () => {
  assert.deepEqual(shownOf(requestRows, { unheard_of: 'hush' }), {});
  const hidden = Object.entries<Rows[string]>(requestRows)
    .filter(([, { privacy }]) => privacy === 'hidden')
    .map(([name]) => name);
  const others =
    'url html markdown base_url header footer css script response async webhook_url max_age expires_in reference';
  assert.deepEqual(hidden.join(' '), others);
});

/** The default of a field, with those of the fields in it; undefined if it has none. */
function defaultOf(schema: TSchema): unknown {
  const { default: own, properties } = schema as { default?: unknown; properties?: Record<string, TSchema> };
  if (own === undefined || !properties) return own;
  const inner = Object.entries(properties).map(([name, field]) => [name, defaultOf(field)]);
  return Object.fromEntries(inner.filter(([, value]) => value !== undefined));
}

test('a default that is written out changes nothing', () => {
  let written = 0;
  for (const format of formats) {
    const plain = lower({ url, format }).job;
    for (const [name, { schema, formats: fitting }] of Object.entries<Rows[string]>(requestRows)) {
      const value = defaultOf(schema);
      if (value === undefined || name === 'format' || fitting?.includes(format) === false) continue;
      assert.deepEqual(lower({ url, format, [name]: value }).job, plain, `${name} of ${format}`);
      written += 1;
    }
  }
  assert.ok(written > formats.length * 10);
});

test('what only delivers is no part of the job, and so of no cache key', () => {
  const given = {
    put_url: 'https://bucket.example/a',
    response: 'json',
    async: true,
    webhook_url: 'https://example.com/hook',
    max_age: 60,
    expires_in: 60,
    reference: 'a',
  };
  const delivering = Object.entries<Rows[string]>(requestRows).filter(([, { part }]) => part === 'delivery');
  assert.deepEqual(
    delivering.map(([name]) => name).toSorted(),
    Object.keys(given).toSorted(),
    'each of them has a value here',
  );
  const plain = lower({ url, wait_for: 'p' }).job;
  assert.deepEqual(lower({ url, wait_for: 'p', ...given }).job, plain);
  // Nor is how messages name a field.
  const listed = { url, wait_for: ['p'], outputs: [{ put_url: given.put_url }] };
  assert.equal(canonicalText(lower(listed).job), canonicalText(plain));
});

test('a row of an output says which formats it fits, and one of the page fits all', () => {
  const fitting = Object.entries<Rows[string]>(requestRows).filter(([, row]) => row.formats !== undefined);
  const everywhere = Object.keys(outputRows).filter((name) => !fitting.some(([one]) => one === name));
  assert.deepEqual(everywhere, ['format', 'put_url']);
  assert.ok(fitting.every(([name]) => Object.hasOwn(outputRows, name)));
});

// The same request has the same answer on both database engines: pictures of every type and size, and texts that only one of the
// engines could store.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PdfRequest, ScreenshotRequest } from '#api/v1/schemas.ts';
import { RenderRequest } from '#api/v2/schemas.ts';
import { dashboardRoutes, type RouteName } from '#console/contract.ts';
import type { UploadResult } from '#api/v1/schemas.ts';
import * as images from '#test/support/images.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { signedInVisitor, type Visitor } from '#test/support/visitor.ts';
import { allDatabaseEngines } from '#test/storage/engines.ts';
import { encodedTable, pngHeader, svgSizeTable } from '#test/uploads/dimension-table.ts';
import { typeTable } from '#test/uploads/type-table.ts';

const svgOf = (attributes: string): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}><rect/></svg>`);

for (const engine of allDatabaseEngines) {
  describe(`on ${engine.name}`, () => {
    let service: TestService;
    let key: string;
    let person: Visitor;
    let removePlace: () => Promise<void>;
    before(async () => {
      const { environment, remove } = await engine.newPlace();
      removePlace = remove;
      service = await startService(environment);
      ({ key } = await service.newKey());
      person = await signedInVisitor(service, { owner: true });
    });
    after(async () => {
      await service.stop();
      await removePlace();
    });

    const upload = (bytes: Buffer, filename = 'a.png') =>
      post<UploadResult>(`${service.origin}/api/v1/upload`, {
        body: formOf([[bytes, filename]]),
        headers: bearer(key),
      });

    test('4.1.1 every row of the type table', async () => {
      for (const [name, head, expected] of typeTable) {
        const { status, body } = await upload(head);
        if (expected === 'markup') assert.ok([201, 415, 422].includes(status), `${name}: ${status}`);
        else assert.deepEqual([name, status, body.content_type], [name, expected ? 201 : 415, expected]);
      }
    });

    test('2.1 pictures of every size are stored, and their size with them', async () => {
      const pictures = [
        ...(await Promise.all(
          encodedTable.map(async ([name, , make, size]) => [name, await make(), size] as const),
        )),
        ...svgSizeTable.map(([attributes, size]) => [attributes, svgOf(attributes), size] as const),
        ['the widest PNG', pngHeader(4_294_967_295, 1), { width: 4_294_967_295, height: 1 }] as const,
        [
          'a PNG past 2^31',
          pngHeader(2_147_483_648, 2_147_483_649),
          { width: 2_147_483_648, height: 2_147_483_649 },
        ] as const,
      ];
      for (const [name, bytes, size] of pictures) {
        const { status, body } = await upload(bytes);
        assert.equal(status, 201, name);
        const row = await service.database.tables.uploads.byId(body.id);
        assert.deepEqual(
          [name, row?.width ?? undefined, row?.height ?? undefined],
          [name, size?.width, size?.height],
        );
      }
    });

    test('4.2 a picture of any size does not fail the files next to it', async () => {
      const { status } = await post(`${service.origin}/api/v1/upload/batch`, {
        body: formOf([
          [await images.png(), 'good.png'],
          [pngHeader(4_294_967_295, 4_294_967_295), 'wide.png'],
          [svgOf('width="3000000000" height="3000000000"'), 'wide.svg'],
        ]),
        headers: bearer(key),
      });
      assert.equal(status, 201);
    });

    test('a filename with U+0000 is stored without it', async () => {
      const form = (name: Buffer): Buffer =>
        Buffer.concat([
          Buffer.from('--XX\r\nContent-Disposition: form-data; name="file"; filename="'),
          name,
          Buffer.from('"\r\n\r\n'),
          svgOf(''),
          Buffer.from('\r\n--XX--\r\n'),
        ]);
      for (const name of ['a\0b.svg', '\0', '\0\0.svg', 'a.svg\0']) {
        const { status, body } = await post<UploadResult>(`${service.origin}/api/v1/upload`, {
          body: new Uint8Array(form(Buffer.from(name))),
          headers: { ...bearer(key), 'content-type': 'multipart/form-data; boundary=XX' },
        });
        assert.ok(status === 201 || status === 422, `${JSON.stringify(name)}: ${status}`);
        if (status === 201) assert.ok(!body.filename.includes('\0'));
      }
    });

    test('U+0000 in any text of a request is refused, and is never an error of ours', async () => {
      for (const name of Object.keys(dashboardRoutes) as RouteName[]) {
        if (name === 'POST /sign-out') continue;
        for (const request of requestsWithNul(name)) {
          const { status } = await person.raw(name, request);
          assert.ok([404, 415, 422].includes(status), `${name} ${JSON.stringify(request)}: ${status}`);
        }
        await service.clock.advance(60_000);
      }
      for (const path of ['screenshot', 'pdf']) {
        const { status } = await post(`${service.origin}/api/v1/${path}`, {
          body: JSON.stringify({ url: 'http://example.com/\0' }),
          headers: { ...bearer(key), 'content-type': 'application/json' },
        });
        assert.equal(status, 422, path);
      }
    });

    test('U+0000 in a message that quotes the request does not lose the rows of the request log', async () => {
      const { key: own, accountId } = await service.newKey();
      for (const body of ['{"\\u0000": 1}', '{"url": \0}', '{}']) {
        const { status } = await post(`${service.origin}/api/v1/pdf`, {
          body,
          headers: { ...bearer(own), 'content-type': 'application/json' },
        });
        assert.equal(status, 422, body);
      }
      assert.equal((await person.call('GET /requests')).status, 200, 'the log is written before it is read');
      const rows = await service.database.tables
        .ownedBy(accountId)
        .requests.page({}, { after: undefined, limit: 10 });
      assert.deepEqual(
        new Set(rows.map(({ reason }) => reason?.split(';')[0]?.slice(0, 20))),
        new Set(['body: malformed JSON', 'url: missing', '\ufffd: unknown field']),
      );
    });
  });
}

/** Bodies that the contract leaves to the API's handlers. */
const readByTheApi: Partial<Record<RouteName, { body: unknown }>> = {
  'POST /playground/screenshot': { body: ScreenshotRequest },
  'POST /playground/pdf': { body: PdfRequest },
  'POST /playground/render': { body: RenderRequest },
};

/** A text field of its schema, each in turn, holds the character; and so does the id in the path. */
function requestsWithNul(name: RouteName): Parameters<Visitor['raw']>[1][] {
  const contract = dashboardRoutes[name] as { body?: unknown; query?: unknown };
  const { body, query } = { ...contract, ...readByTheApi[name] };
  return [
    ...(name.includes(':id')
      ? [{ id: 'a%00b', ...(typeof body === 'object' && { body: exampleOf(body) }) }]
      : []),
    ...fieldsOf(body).map((field) => ({
      id: 'x',
      body: { ...exampleOf(body), [field]: textOf(body, field) },
    })),
    ...fieldsOf(query).map((field) => ({ id: 'x', query: { [field]: 'a\0b' } })),
  ];
}

type Schema = { properties?: Record<string, { type?: string; items?: unknown; minLength?: number }> };

function fieldsOf(schema: unknown): string[] {
  const { properties = {} } = (schema ?? {}) as Schema;
  return Object.keys(properties).filter((field) =>
    ['string', 'array'].includes(properties[field]?.type ?? ''),
  );
}

function textOf(schema: unknown, field: string): unknown {
  const { type, minLength = 0 } = (schema as Schema).properties?.[field] ?? {};
  const text = `a\0b${'c'.repeat(minLength)}`;
  return type === 'array' ? [text] : text;
}

function exampleOf(schema: unknown): Record<string, unknown> {
  return Object.fromEntries(
    fieldsOf(schema).map((field) => [field, Array.isArray(textOf(schema, field)) ? ['x'] : 'x'.repeat(20)]),
  );
}

// Lists that few rows fit look at a bounded number of rows for each page, and reach all of them page by page. v2 3; 10.8.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { PageOptions } from '#storage/owned/page.ts';
import { nextCursor, pageOptions } from '#storage/owned/cursor.ts';
import { maxRead } from '#storage/tables/stored.ts';
import { databaseEngines, type OpenDatabase } from '#test/storage/engines.ts';
import { accountRow, renderRow, uploadRow } from '#test/storage/rows.ts';

const now = 1_000_000_000_000;
const rowsAtOnce = 1_000;

for (const engine of databaseEngines) {
  describe(`bounded lists on ${engine.name}`, () => {
    const account = accountRow();
    let opened: OpenDatabase;
    before(async () => {
      opened = await engine.open();
      const { accounts, uploads, renders, ownedBy } = opened.database.tables;
      await accounts.insert(account);
      // The newest rows fit nothing below; three older ones do.
      for (let first = 0; first < maxRead + 10; first += rowsAtOnce) {
        const rows = Array.from({ length: rowsAtOnce }, (_, index) =>
          uploadRow(account.id, { filename: 'other.png', created_at: 100_000 + first + index }),
        );
        await uploads.insert(...rows);
      }
      for (const [index, title] of ['Needle 100%', 'needle_x', 'NEEDLEä𝒳'].entries()) {
        const old = { title, created_at: 10 + index, content_type: 'image/gif' };
        const row = uploadRow(account.id, old);
        await uploads.insert(row);
        await ownedBy(account.id).uploads.setTags(row.id, ['rare']);
      }
      await renders.insert(renderRow(account.id, { target: 'https://example.com/needle', created_at: 5 }));
    });
    after(() => opened.close());

    const owned = () => opened.database.tables.ownedBy(account.id);

    /** The items of each page, to the last. */
    async function pagesOf<Row extends { created_at: number; id: string }>(
      bounded: (page: PageOptions) => Promise<PageOptions>,
      read: (page: PageOptions) => Promise<Row[]>,
    ): Promise<Row[][]> {
      const pages: Row[][] = [];
      for (let cursor: string | undefined; pages.length < 10;) {
        const page = await bounded(pageOptions({ cursor, limit: 2 }));
        const rows = await read(page);
        pages.push(rows.slice(0, 2));
        const next = nextCursor(rows, page);
        if (next === null) break;
        cursor = next;
      }
      return pages;
    }
    const titles = async (filter: {
      search?: string;
      tag?: string;
      contentType?: string;
      before?: number;
    }) => {
      const { uploads } = owned();
      const pages = await pagesOf(
        (page) => uploads.bounded(filter, page),
        (page) => uploads.page(filter, page, now),
      );
      return pages.map((rows) => rows.map(({ title }) => title));
    };

    const all = [['NEEDLEä𝒳', 'needle_x'], ['Needle 100%']];
    for (const filter of [{ search: 'NEEDLE' }, { tag: 'rare' }, { contentType: 'image/gif' }])
      test(`${JSON.stringify(filter)}: a page without an item leads on to those that fit`, async () => {
        assert.deepEqual(await titles(filter), [[], ...all]);
        assert.deepEqual(await titles({ ...filter, before: 1_000 }), all);
      });

    test('a search takes letters of any script, and % and _, literally', async () => {
      assert.deepEqual((await titles({ search: '0%' })).flat(), ['Needle 100%']);
      assert.deepEqual((await titles({ search: 'e_x' })).flat(), ['needle_x']);
      assert.deepEqual((await titles({ search: 'ä𝒳' })).flat(), ['NEEDLEä𝒳']);
      assert.deepEqual((await titles({ search: 'a𝒳' })).flat(), []);
    });

    test('sums, ids and other orders are of the newest rows, and say that there are more', async () => {
      const { uploads } = owned();
      const page = pageOptions({});
      assert.deepEqual(await uploads.totals({ search: 'needle' }, now), { files: 0, bytes: 0, isMore: true });
      assert.deepEqual(await uploads.idsOf({ tag: 'rare' }, now), []);
      for (const order of ['largest', 'oldest', 'name'] as const)
        assert.deepEqual(await uploads.page({ search: 'needle' }, page, now, order), []);
      assert.deepEqual(await uploads.tags(now, 10), []);
      const [oldest] = await uploads.page({}, page, now, 'oldest');
      assert.equal(oldest?.title, 'Needle 100%');
    });

    test('renders: as for uploads, and all of a short history at once', async () => {
      const { renders } = owned();
      const filter = { search: 'NEEDLE', kinds: ['screenshot' as const] };
      const pages = await pagesOf(
        (page) => renders.bounded(filter, page),
        (page) => renders.page(filter, page, now),
      );
      assert.deepEqual(
        pages.map((rows) => rows.map(({ target }) => target)),
        [['https://example.com/needle']],
      );
      assert.equal((await renders.idsOf(filter, now)).length, 1);
    });
  });
}

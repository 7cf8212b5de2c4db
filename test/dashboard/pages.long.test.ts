// Every page in the looks that pages.test.ts does not cover: dark, and on a phone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startEveryPage, type EveryPage, type Look } from '#test/dashboard/every-page.ts';

let pages: EveryPage;
before(async () => {
  pages = await startEveryPage();
});
after(() => pages.dashboard.close());

const looks: (Omit<Look, 'name'> & { isJudged: boolean })[] = [
  { scheme: 'dark', width: 1440, isJudged: false },
  { scheme: 'light', width: 390, isJudged: false },
  { scheme: 'dark', width: 390, isJudged: true },
];

for (const look of looks) {
  test(`every page, ${look.scheme}, ${look.width} px wide: loads, logs no errors, is accessible, does not scroll sideways`, async () => {
    assert.deepEqual(await pages.faultsIn(look), []);
  });
}

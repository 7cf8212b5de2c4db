// npm run document -- pictures: every page in four variants, in a folder that is not committed, and the two pictures of
// README.md.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { endShared } from '#test/support/shared.ts';
import { looks, startEveryPage, type EveryPage } from '#test/dashboard/every-page.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'pictures');
const forReadme = join(root, 'docs', 'pictures');

export async function drawPictures(): Promise<void> {
  await mkdir(folder, { recursive: true });
  await mkdir(forReadme, { recursive: true });
  const pages = await startEveryPage();
  try {
    for (const look of looks) {
      console.log(`${look.name} (${look.width} px, ${look.scheme})`);
      await pages.visit(look, async (tab, { name }) => {
        await tab.screenshot({ path: join(folder, `${name}-${look.name}.png`), fullPage: true });
      });
    }
    await writeFile(join(folder, 'index.html'), gallery(pages.shown.map(({ name }) => name)));
    await drawReadme(pages);
  } finally {
    await pages.dashboard.close();
    await endShared();
  }
  console.log(`pictures: ${join(folder, 'index.html')}`);
}

/** Small enough to be committed: half the pixels of a wide window. */
async function drawReadme(pages: EveryPage): Promise<void> {
  const look = { name: 'readme', scheme: 'light', width: 1280 } as const;
  await pages.visit(look, async (tab, { name }) => {
    if (name !== 'overview' && name !== 'share') return;
    const picture = await tab.screenshot();
    await sharp(picture)
      .webp({ quality: 82 })
      .toFile(join(forReadme, `${name}.webp`));
  });
}

const gallery = (names: string[]): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Every page of Tintype</title>
<style>
  body { font: 15px/1.4 system-ui; margin: 2rem; background: #888; color: #fff }
  section { display: flex; gap: 1rem; align-items: start; margin-bottom: 3rem }
  img { max-height: 40rem; max-width: 40vw; border-radius: 6px }
</style>
${names
  .map(
    (name) =>
      `<h2 id="${name}">${name}</h2><section>${looks
        .map((look) => `<img loading="lazy" src="${name}-${look.name}.png" alt="${name}, ${look.name}">`)
        .join('')}</section>`,
  )
  .join('\n')}
`;

// Several pictures of one load, and what they show, for parts-of-pages.test.ts and pixel-ratio.test.ts.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { RenderedFile, Warning } from '#browser/browser.ts';
import { plainPicture, plainView, type Job, type PictureOutput, type View } from '#browser/job.ts';
import type { TestBrowser } from '#test/support/browser.ts';
import type { PageServer } from '#test/support/page-server.ts';
import { decode, nameOf } from '#test/support/pixels.ts';

export interface Shot extends RenderedFile {
  bytes: Buffer;
}

/** Makes the pictures of one load. */
export const createShoot =
  (parts: () => { kit: TestBrowser; server: PageServer }) =>
  async (
    path: string,
    outputs: Partial<PictureOutput>[],
    view: Partial<View> = {},
    job: Partial<Job> = {},
  ): Promise<{ shots: Shot[]; warnings: Warning[] }> => {
    const { kit, server } = parts();
    await using rendered = await kit.render(`${server.base}${path}`, {
      view: { ...plainView, width: 800, height: 600, ...view },
      outputs: outputs.map((output) => ({ ...plainPicture, ...output })),
      ...job,
    });
    const shots = await Promise.all(
      rendered.outputs.map(async (file) => ({ ...file, bytes: await readFile(file.path) })),
    );
    return { shots, warnings: rendered.page.warnings };
  };

const sizeOf = ({ width, height }: { width: number | null; height: number | null }) => `${width}x${height}`;

/** Names of the colours at places like `10,20`. */
export async function coloursAt(
  bytes: Buffer,
  places: Record<string, string>,
): Promise<Record<string, string>> {
  const picture = await decode(bytes);
  const read = Object.keys(places).map((place) => {
    const [x = 0, y = 0] = place.split(',').map(Number);
    return [place, nameOf(picture.at(x, y))];
  });
  return Object.fromEntries(read);
}

export async function assertPicture(shot: Shot, size: string, places: Record<string, string>): Promise<void> {
  assert.deepEqual([sizeOf(shot), sizeOf(await decode(shot.bytes))], [size, size]);
  assert.deepEqual(await coloursAt(shot.bytes, places), places);
}

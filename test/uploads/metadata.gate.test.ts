// exiftool finds nothing of what it wrote itself after the removal of metadata. The quick test uses pictures that it once made.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { detectType } from '#uploads/detect-type.ts';
import { cleanPicture, type CleanableType } from '#uploads/metadata/remove-metadata.ts';
import { exiftoolMissing, makeCameraFiles, tagsIn } from '#test/support/camera-files.ts';
import { temporaryFolder } from '#test/support/processes.ts';

const skip = exiftoolMissing();
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
before(async () => {
  folder = await temporaryFolder();
});
after(() => folder.remove());

/** How the pixels are stored, and the orientation. */
const ofThePicture =
  /^(IFD0:Orientation|PNG:|PNG-pHYs:|RIFF:(?!Exif)|GIF:(?!Comment)|JFIF:|QuickTime:|Meta:PrimaryItem|Adobe:)/;

test('exiftool finds only the picture and its orientation', { skip }, async () => {
  for (const name of await makeCameraFiles(folder.path)) {
    const path = join(folder.path, name);
    const bytes = await readFile(path);
    const before = await tagsIn(path);
    assert.ok(
      Object.keys(before).some((tag) => /GPSLatitude/.test(tag)),
      name,
    );
    const { pieces } = cleanPicture(detectType(bytes) as CleanableType, bytes);
    await writeFile(path, Buffer.concat(pieces));
    const left = await tagsIn(path);
    const wrong = Object.keys(left).filter((tag) => !ofThePicture.test(tag));
    assert.deepEqual(wrong, [], name);
    assert.equal(left['IFD0:Orientation'], /gif|avif/.test(name) ? undefined : 6, name);
  }
});

// Pictures with everything that cameras and editors write into them, made with exiftool: position, camera, times, names, thumbnails, XMP,
// IPTC and comments. test/fixtures/metadata/ has what `makeCameraFiles` made once, for machines without exiftool.
import { execFile, execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp, { type Sharp } from 'sharp';

const run = promisify(execFile);
const [width, height] = [96, 64];

/** Every planted text matches this. */
export const plantedText = /planted/i;

export function exiftoolMissing(): string | false {
  try {
    execFileSync('exiftool', ['-ver'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'exiftool is not installed (libimage-exiftool-perl)';
  }
}

const names = [
  '-XMP-dc:Creator=Ada Planted',
  '-XMP-dc:Description=planted description',
  '-Comment=planted comment',
];
const times = ['-XMP-xmp:CreateDate=2021:02:03 04:05:06'];
const places = ['-XMP-exif:GPSLatitude=48.137', '-XMP-exif:GPSLongitude=11.575'];
const exif = [
  '-Make=PlantedMake',
  '-Model=PlantedModel',
  '-Software=PlantedSoft',
  '-LensModel=PlantedLens',
  '-SerialNumber=PlantedSerial',
  '-Artist=Ada Planted',
  '-Copyright=Planted rights',
  '-DateTimeOriginal=2021:02:03 04:05:06',
  '-ModifyDate=2021:02:03 04:05:06',
  '-ImageDescription=planted description',
  '-UserComment=planted comment',
  '-GPSLatitude=48.137',
  '-GPSLatitudeRef=N',
  '-GPSLongitude=11.575',
  '-GPSLongitudeRef=E',
  '-GPSDateStamp=2021:02:03',
  '-Orientation#=6',
];
const iptc = [
  '-IPTC:By-line=Ada Planted',
  '-IPTC:City=Plantedtown',
  '-IPTC:Caption-Abstract=planted caption',
];

/** Writes them into the folder, and returns their names. */
export async function makeCameraFiles(folder: string): Promise<string[]> {
  const thumbnail = join(folder, 'thumbnail');
  await writeFile(thumbnail, await picture().resize(32).jpeg().toBuffer());
  const thumbnails = [`-ThumbnailImage<=${thumbnail}`, `-PhotoshopThumbnail<=${thumbnail}`];
  const inJpeg = [...exif, ...iptc, ...thumbnails];
  const files: [string, Sharp, string[]][] = [
    ['photo.jpg', picture().withIccProfile('p3').jpeg(), inJpeg],
    ['progressive.jpg', picture().jpeg({ progressive: true }), inJpeg],
    ['photo.png', picture().withIccProfile('p3').png(), exif],
    ['photo.webp', picture().withIccProfile('p3').webp(), exif],
    ['lossless.webp', picture().webp({ lossless: true }), exif],
    ['photo.gif', picture().gif(), []],
    ['photo.avif', picture().withIccProfile('p3').avif({ effort: 0 }), exif],
  ];
  for (const [name, file, more] of files) {
    const path = join(folder, name);
    await writeFile(path, await file.toBuffer());
    await run('exiftool', ['-overwrite_original', '-q', '-m', ...names, ...times, ...places, ...more, path]);
  }
  return files.map(([name]) => name);
}

/** A gradient with a chequered channel, so that a turned or damaged picture differs. */
function picture(): Sharp {
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const isDark = x < width / 2 !== y < height / 2;
      pixels.set([x * 2.6, y * 3.9, isDark ? 30 : 220], (y * width + x) * 3);
    }
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

/** What exiftool finds, by group and name, without what it says of the file itself. */
export async function tagsIn(path: string): Promise<Record<string, unknown>> {
  const { stdout } = await run('exiftool', ['-j', '-a', '-G1', '-n', '-struct', path]);
  const [tags = {}] = JSON.parse(stdout) as Record<string, unknown>[];
  const ofTheFile = /^(SourceFile|ExifTool:|System:|File:|ICC|Composite:(ImageSize|Megapixels))/;
  return Object.fromEntries(Object.entries(tags).filter(([name]) => !ofTheFile.test(name)));
}

// The type of an upload is told from its bytes. Spec 4.1.1.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { detectionBytes, detectType } from '#uploads/detect-type.ts';
import type { DetectedType } from '#uploads/detect-type.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const uint32 = (value: number): string =>
  String.fromCharCode(value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);
const ftyp = (major: string, ...compatible: string[]): string =>
  `${uint32(16 + compatible.length * 4)}ftyp${major}\0\0\0\0${compatible.join('')}`;
const utf16le = (text: string): Buffer => Buffer.from(text, 'utf16le');
const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';

const cases: [name: string, head: Buffer, expected: DetectedType | undefined][] = [
  ['PNG', bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'), 'image/png'],
  [
    'APNG is a PNG',
    bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\0\0\0\0\0\0\0\x08acTL'),
    'image/png',
  ],
  ['JPEG with JFIF', bytes('\xff\xd8\xff\xe0\0\x10JFIF\0'), 'image/jpeg'],
  ['JPEG with Exif', bytes('\xff\xd8\xff\xe1\0\x10Exif\0\0'), 'image/jpeg'],
  ['bare JPEG', bytes('\xff\xd8\xff\xdb'), 'image/jpeg'],
  ['GIF87a', bytes('GIF87a\x01\0\x01\0'), 'image/gif'],
  ['GIF89a', bytes('GIF89a\x01\0\x01\0'), 'image/gif'],
  ['WebP', bytes(`RIFF\x1a\0\0\0WEBPVP8L`), 'image/webp'],
  ['AVIF by major brand', bytes(ftyp('avif', 'mif1', 'miaf')), 'image/avif'],
  ['AVIF sequence by major brand', bytes(ftyp('avis', 'msf1')), 'image/avif'],
  ['AVIF under a mif1 major', bytes(ftyp('mif1', 'miaf', 'MA1B', 'avif')), 'image/avif'],
  ['AVIF by a sequence brand under msf1', bytes(ftyp('msf1', 'avis')), 'image/avif'],
  ['AVIF with no compatible brands', bytes(`${ftyp('avif')}\0\0\0\0`), 'image/avif'],

  ['HEIC', bytes(ftyp('heic', 'mif1', 'heic')), undefined],
  ['HEIC under mif1', bytes(ftyp('mif1', 'heic')), undefined],
  ['MP4', bytes(ftyp('isom', 'iso2', 'avc1', 'mp41')), undefined],
  ['MOV', bytes(ftyp('qt  ', 'qt  ')), undefined],
  ['brands beyond the box do not count', bytes(`${ftyp('mif1', 'heic')}avif`), undefined],
  ['the minor version is no brand', bytes(`${uint32(20)}ftypmif1avifheic`), undefined],
  ['a box of size 0 names no brand', bytes(`\0\0\0\0ftypavifavifavif`), undefined],
  ['GIF88a', bytes('GIF88a\x01\0\x01\0'), undefined],
  ['BMP', bytes('BM\x1a\0\0\0\0\0\0\0'), undefined],
  ['TIFF, both byte orders', bytes('II*\0\x08\0\0\0'), undefined],
  ['TIFF, big-endian', bytes('MM\0*\0\0\0\x08'), undefined],
  ['ICO', bytes('\0\0\x01\0\x01\0\x10\x10'), undefined],
  ['JPEG XL codestream', bytes('\xff\x0a\xfa\x1f'), undefined],
  ['JPEG XL container', bytes('\0\0\0\x0cJXL \r\n\x87\n'), undefined],
  ['JPEG 2000', bytes('\0\0\0\x0cjP  \r\n\x87\n'), undefined],
  ['WAVE', bytes('RIFF\x24\0\0\0WAVEfmt '), undefined],
  ['AVI', bytes('RIFF\x24\0\0\0AVI LIST'), undefined],
  ['PDF', bytes('%PDF-1.7\n'), undefined],
  ['ZIP', bytes('PK\x03\x04'), undefined],
  ['a truncated PNG signature', bytes('\x89PNG\r\n'), undefined],
  ['a PNG signature with text-mode line ends', bytes('\x89PNG\n\x1a\n\0\0\0\rIHDR'), undefined],
  ['an empty file', Buffer.alloc(0), undefined],
  ['one byte', bytes('\xff'), undefined],
  ['blanks alone', bytes(' \n\t '), undefined],
  ['plain text', bytes('hello <svg/>'), undefined],
  ['JSON', bytes('{"svg":1}'), undefined],
  ['UTF-32 markup', bytes('\xff\xfe\0\0<\0\0\0'), undefined],
  ['gzipped SVG', bytes('\x1f\x8b\x08\0'), undefined],

  ['SVG', bytes(svg), 'markup'],
  ['SVG after blanks', bytes(`\r\n\t ${svg}`), 'markup'],
  ['SVG after a byte order mark', bytes(`\xef\xbb\xbf ${svg}`), 'markup'],
  ['SVG in UTF-16LE', Buffer.concat([bytes('\xff\xfe'), utf16le(` ${svg}`)]), 'markup'],
  ['SVG in UTF-16BE', Buffer.concat([bytes('\xfe\xff'), utf16be(svg)]), 'markup'],
  ['SVG in UTF-16LE without a mark', utf16le(svg), 'markup'],
  ['SVG in UTF-16BE without a mark', utf16be(svg), 'markup'],
  ['HTML is markup until it is parsed', bytes('<!doctype html><svg/>'), 'markup'],
];

suite('4.1.1 the stored type is detected from the bytes', () => {
  for (const [name, head, expected] of cases) test(name, () => assert.equal(detectType(head), expected));

  test('the answer is the same from every longer piece of the file', () => {
    const file = Buffer.concat([bytes(ftyp('mif1', 'miaf', 'avif')), Buffer.alloc(100_000)]);
    assert.equal(detectType(file), 'image/avif');
    assert.equal(detectType(file.subarray(0, detectionBytes)), 'image/avif');
  });

  test('no prefix of any file throws', () => {
    for (const [, head] of cases) {
      for (let length = 0; length <= head.length; length += 1) detectType(head.subarray(0, length));
    }
    assert.ok(cases.length > 40);
  });
});

// First bytes of files and the type to detect. Spec 4.1.1.
import type { DetectedType } from '#uploads/detect-type.ts';

export const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const uint32 = (value: number): string =>
  String.fromCharCode(value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);
export const ftyp = (major: string, ...compatible: string[]): string =>
  `${uint32(16 + compatible.length * 4)}ftyp${major}\0\0\0\0${compatible.join('')}`;
const largeFtyp = (major: string, ...compatible: string[]): string =>
  `${uint32(1)}ftyp${uint32(0)}${uint32(24 + compatible.length * 4)}${major}\0\0\0\0${compatible.join('')}`;
const utf16le = (text: string): Buffer => Buffer.from(text, 'utf16le');
const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';

export const typeTable: [name: string, head: Buffer, expected: DetectedType | undefined][] = [
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
  ['lossless WebP', bytes(`RIFF\x1a\0\0\0WEBPVP8L`), 'image/webp'],
  ['lossy WebP', bytes(`RIFF\x1a\0\0\0WEBPVP8 `), 'image/webp'],
  ['extended WebP', bytes(`RIFF\x1a\0\0\0WEBPVP8X`), 'image/webp'],
  ['AVIF by major brand', bytes(ftyp('avif', 'mif1', 'miaf')), 'image/avif'],
  ['AVIF sequence by major brand', bytes(ftyp('avis', 'msf1')), 'image/avif'],
  ['AVIF under a mif1 major', bytes(ftyp('mif1', 'miaf', 'MA1B', 'avif')), 'image/avif'],
  ['AVIF by a sequence brand under msf1', bytes(ftyp('msf1', 'avis')), 'image/avif'],
  ['AVIF with no compatible brands', bytes(`${ftyp('avif')}\0\0\0\0`), 'image/avif'],

  ['AVIF with a 64-bit box size', bytes(largeFtyp('avif', 'mif1')), 'image/avif'],
  ['AVIF under mif1 with a 64-bit box size', bytes(largeFtyp('mif1', 'miaf', 'avif')), 'image/avif'],
  [
    'AVIF with the largest 64-bit box size',
    bytes(`${uint32(1)}ftyp${'\xff'.repeat(8)}mif1\0\0\0\0avif`),
    'image/avif',
  ],
  ['AVIF whose box is cut off after its brand', bytes(`${uint32(32)}ftypavif\0\0\0\0`), 'image/avif'],

  ['HEIC with a 64-bit box size', bytes(largeFtyp('heic', 'mif1')), undefined],
  ['a 64-bit box size is no brand', bytes(`${uint32(1)}ftypavifavifmif1\0\0\0\0heic`), undefined],
  [
    'the minor version behind a 64-bit box size is no brand',
    bytes(`${uint32(1)}ftyp${uint32(0)}${uint32(28)}mif1avifheic`),
    undefined,
  ],
  [
    'a 64-bit box size that ends before the brands',
    bytes(`${uint32(1)}ftyp${uint32(0)}${uint32(16)}avif\0\0\0\0avif`),
    undefined,
  ],
  ['a 64-bit box size that is cut off', bytes(`${uint32(1)}ftypavif`), undefined],
  ['a box size that ends before the brands', bytes(`${uint32(8)}ftypavif\0\0\0\0avif`), undefined],
  ['a WebP container without a picture chunk', bytes('RIFF\x1a\0\0\0WEBPEXIF'), undefined],
  ['a WebP container that ends before its first chunk', bytes('RIFF\x04\0\0\0WEBP'), undefined],
  ['a WebP container whose chunk name is cut off', bytes('RIFF\x07\0\0\0WEBPVP8'), undefined],
  ['a WebP container with a chunk in lower case', bytes('RIFF\x1a\0\0\0WEBPvp8l'), undefined],
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
  ['only whitespace', bytes(' \n\t '), undefined],
  ['plain text', bytes('hello <svg/>'), undefined],
  ['JSON', bytes('{"svg":1}'), undefined],
  ['UTF-32 markup', bytes('\xff\xfe\0\0<\0\0\0'), undefined],
  ['gzipped SVG', bytes('\x1f\x8b\x08\0'), undefined],

  ['SVG', bytes(svg), 'markup'],
  ['SVG after whitespace', bytes(`\r\n\t ${svg}`), 'markup'],
  ['SVG after a byte order mark', bytes(`\xef\xbb\xbf ${svg}`), 'markup'],
  ['SVG in UTF-16LE', Buffer.concat([bytes('\xff\xfe'), utf16le(` ${svg}`)]), 'markup'],
  ['SVG in UTF-16BE', Buffer.concat([bytes('\xfe\xff'), utf16be(svg)]), 'markup'],
  ['SVG in UTF-16LE without a mark', utf16le(svg), 'markup'],
  ['SVG in UTF-16BE without a mark', utf16be(svg), 'markup'],
  ['SVG after a doctype of HTML', bytes('<!doctype html><svg/>'), 'markup'],
  ['SVG with a prefix', bytes('<s:svg xmlns:s="http://www.w3.org/2000/svg"/>'), 'markup'],
  [
    'SVG after comments and instructions',
    bytes(`<?xml version="1.0"?><!-- <html> --><?a b?>${svg}`),
    'markup',
  ],
  ['a broken SVG', bytes('<svg'), 'markup'],
  ['SVG after more white space than is looked at', bytes(`${' '.repeat(5000)}${svg}`), 'markup'],
  ['SVG after a longer comment', bytes(`<!--${'x'.repeat(5000)}-->${svg}`), 'markup'],
  ['SVG whose name is cut', bytes(`${' '.repeat(4093)}${svg}`), 'markup'],
  ['UTF-16 SVG after more white space', utf16le(`\ufeff${' '.repeat(5000)}${svg}`), 'markup'],
  ['HTML', bytes('<!doctype html><html><svg/></html>'), undefined],
  ['HTML in UTF-16', utf16le('<html><svg/></html>'), undefined],
  ['other XML', bytes('<?xml version="1.0"?><rss version="2.0"/>'), undefined],
  ['text after a comment', bytes('<!-- svg --> text'), undefined],
  ['an open comment', bytes('<!-- <svg/>'), undefined],
  ['nothing but white space', bytes(' \n'.repeat(100)), undefined],
];

// The stored filename. Spec 2.1.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { sanitizeFilename } from '#uploads/filename.ts';
import type { ImageType } from '#uploads/image-types.ts';

const cases: [submitted: string, type: ImageType, stored: string][] = [
  ['photo.png', 'image/png', 'photo.png'],
  ['Photo.PNG', 'image/png', 'Photo.PNG'],
  ['photo.jpeg', 'image/jpeg', 'photo.jpeg'],
  ['photo.jpg', 'image/jpeg', 'photo.jpg'],
  ['photo', 'image/jpeg', 'photo.jpg'],
  ['photo.txt', 'image/png', 'photo.png'],
  ['photo.jpg', 'image/webp', 'photo.webp'],
  ['page.svg.html', 'image/svg+xml', 'page.svg.svg'],
  ['Screenshot 2025-05-01 at 10.30', 'image/png', 'Screenshot 2025-05-01 at 10.30.png'],
  ['my.holiday pictures', 'image/gif', 'my.holiday pictures.gif'],
  ['50% off.avif', 'image/avif', '50% off.avif'],
  ['', 'image/png', 'image.png'],
  ['.png', 'image/png', 'image.png'],
  ['...', 'image/png', 'image.png'],
  [' . . ', 'image/gif', 'image.gif'],
  ['.htaccess', 'image/png', 'htaccess.png'],
  ['..', 'image/png', 'image.png'],
  ['../../etc/passwd', 'image/png', 'passwd.png'],
  ['C:\\Users\\me\\cat.png', 'image/png', 'cat.png'],
  ['/var/www/', 'image/png', 'image.png'],
  ['a/b\\c.png', 'image/png', 'c.png'],
  ['a<b>:c"d|e?f*.png', 'image/png', 'a_b__c_d_e_f_.png'],
  ['line\r\nX-Evil: 1.png', 'image/png', 'line X-Evil_ 1.png'],
  ['nul\0byte.png', 'image/png', 'nulbyte.png'],
  ['bell\x07\x1b[31m.png', 'image/png', 'bell[31m.png'],
  ['gnp.\u202egpj.png', 'image/png', 'gnp.gpj.png'],
  ['zero\u200bwidth\u2060\ufeff.png', 'image/png', 'zerowidth.png'],
  ['soft\u00adhyphen\u2066x\u2069.png', 'image/png', 'softhyphenx.png'],
  ['lone\ud800.png', 'image/png', 'lone.png'],
  ['e\u0301te\u0301.png', 'image/png', '\u00e9t\u00e9.png'],
  ['写真 ①.png', 'image/png', '写真 ①.png'],
  ['many   \u00a0\u3000 blanks .png', 'image/png', 'many blanks.png'],
  ['CON.png', 'image/png', '_CON.png'],
  ['nul', 'image/png', '_nul.png'],
  ['com1.tar.png', 'image/png', '_com1.tar.png'],
  ['console.png', 'image/png', 'console.png'],
  ['trailing.png. .', 'image/png', 'trailing.png'],
];

suite('2.1 filename', () => {
  for (const [submitted, type, stored] of cases) {
    test(`${JSON.stringify(submitted)} is stored as ${stored}`, () => {
      assert.equal(sanitizeFilename(submitted, type), stored);
      assert.equal(sanitizeFilename(stored, type), stored, 'sanitizing a stored name changes nothing');
    });
  }

  test('a long name is cut and keeps its extension', () => {
    const stored = sanitizeFilename(`${'a'.repeat(5000)}.jpeg`, 'image/jpeg');
    assert.equal(stored, `${'a'.repeat(95)}.jpeg`);
  });

  test('a long name is cut between graphemes, within 255 bytes', () => {
    const family = '👩🏽‍🚀';
    const stored = sanitizeFilename(`${'e\u0323\u0302'.repeat(300)}${family.repeat(50)}.png`, 'image/png');
    assert.ok(Buffer.byteLength(stored) <= 255 && stored.length <= 100);
    assert.ok(/^(?:\u1ec7)+\.png$/.test(stored), stored);
    const flags = sanitizeFilename(`${'🇩🇪'.repeat(100)}.png`, 'image/png');
    assert.ok(/^(?:🇩🇪)+\.png$/u.test(flags) && Buffer.byteLength(flags) <= 255, flags);
  });

  test('a name that is one endless grapheme becomes the default name', () => {
    assert.equal(sanitizeFilename(`a${'\u0301\u0302'.repeat(2000)}`, 'image/gif'), 'image.gif');
  });
});

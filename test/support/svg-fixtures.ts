// The folders of hostile and ordinary SVGs: adding a case is adding a file. A name that starts with `refused-` must be refused.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface SvgFixture {
  name: string;
  bytes: Buffer;
}

export function svgFixtures(folder: 'hostile' | 'ordinary'): SvgFixture[] {
  const path = join(import.meta.dirname, '..', 'fixtures', 'svg', folder);
  const files = readdirSync(path).map((file) => ({
    name: basename(file, '.svg'),
    bytes: readFileSync(join(path, file)),
  }));
  const fixtures = folder === 'hostile' ? [...files, hugeAttribute()] : files;
  return fixtures.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** 337 KB in three attributes of one element: anything slower than linear time shows here. */
function hugeAttribute(): SvgFixture {
  const style = 'fill:url(http://canary.test/h.svg#a);'.repeat(1000);
  const text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" width="100" height="100">
<rect width="100" height="100" onload="${'x'.repeat(200_000)}" data-x="${'y'.repeat(100_000)}" style="${style}"/>
</svg>
`;
  return { name: 'huge-attribute', bytes: Buffer.from(text) };
}

// The folders of hostile and ordinary SVGs: adding a case is adding a file. A name that starts with `refused-` must be refused.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface SvgFixture {
  name: string;
  bytes: Buffer;
}

export function svgFixtures(folder: 'hostile' | 'ordinary'): SvgFixture[] {
  const path = join(import.meta.dirname, '..', '..', 'test', 'fixtures', 'svg', folder);
  return readdirSync(path)
    .toSorted()
    .map((file) => ({ name: basename(file, '.svg'), bytes: readFileSync(join(path, file)) }));
}

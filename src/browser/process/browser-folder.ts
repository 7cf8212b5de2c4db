// The folder of one browser: its profile, temporary files and caches.
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Chromium } from '#browser/install/chromium.ts';
import { createScratchFolder, type ScratchFolder } from '#browser/process/scratch-folder.ts';
import type { UnixUser } from '#browser/process/unprivileged.ts';

// Where a full Chromium differs from headless-shell. A PDF is a download: otherwise the picture would show Chromium's own viewer.
const preferences = { plugins: { always_open_pdf_externally: true } };

export function createBrowserFolder(kind: Chromium['kind'], user: UnixUser | null): ScratchFolder {
  return createScratchFolder(tmpdir(), user, (path) => {
    for (const name of ['profile', 'tmp', 'cache']) mkdirSync(join(path, name), { mode: 0o700 });
    if (kind !== 'full') return;
    mkdirSync(join(path, 'profile', 'Default'), { mode: 0o700 });
    writeFileSync(join(path, 'profile', 'Default', 'Preferences'), JSON.stringify(preferences), {
      mode: 0o600,
    });
  });
}

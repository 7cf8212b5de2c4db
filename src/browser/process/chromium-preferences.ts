// Where a full Chromium differs from headless-shell, and the setting is in its profile instead of a flag.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// A PDF is a download, as in headless-shell: otherwise the picture would show Chromium's own viewer.
const preferences = { plugins: { always_open_pdf_externally: true } };

export function writePreferences(userDataFolder: string): void {
  const folder = join(userDataFolder, 'Default');
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, 'Preferences'), JSON.stringify(preferences), { mode: 0o600 });
}

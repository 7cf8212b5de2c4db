// Where a full Chromium differs from headless-shell, and the setting is in its profile instead of a flag.
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// A PDF is a download, as in headless-shell: otherwise the picture would show Chromium's own viewer.
const preferences = { plugins: { always_open_pdf_externally: true } };

export function writePreferences(userDataFolder: string, owner: { uid: number; gid: number } | null): void {
  const folder = join(userDataFolder, 'Default');
  const file = join(folder, 'Preferences');
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(file, JSON.stringify(preferences), { mode: 0o600 });
  if (!owner) return;
  for (const path of [folder, file]) chownSync(path, owner.uid, owner.gid);
}

// What a full Chromium does otherwise than headless-shell and takes from its profile, not from a flag.
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// A PDF is a download, as it is for headless-shell: otherwise Chromium's own viewer would be in the picture.
const preferences = { plugins: { always_open_pdf_externally: true } };

export function writePreferences(userDataFolder: string, owner: { uid: number; gid: number } | null): void {
  const folder = join(userDataFolder, 'Default');
  const file = join(folder, 'Preferences');
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(file, JSON.stringify(preferences), { mode: 0o600 });
  if (!owner) return;
  for (const path of [folder, file]) chownSync(path, owner.uid, owner.gid);
}

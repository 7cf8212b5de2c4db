// A folder of files made once and kept: it appears under its name only when whole, and is made anew when a power
// cut or a meddling hand has left it otherwise.
import { createHash } from 'node:crypto';
import {
  chmod,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

interface Manifest {
  files: { name: string; sizeBytes: number; sha256: string }[];
}

const manifestName = 'manifest.json';
const renameAttempts = 10;

export async function cachedFolder(folder: string, fill: (draft: string) => Promise<void>): Promise<void> {
  if (await isWhole(folder)) return;
  await mkdir(dirname(folder), { recursive: true });
  const draft = await mkdtemp(`${folder}.draft-`);
  try {
    await fill(draft);
    await seal(draft);
    await putInPlace(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function isWhole(folder: string): Promise<boolean> {
  try {
    const manifest = JSON.parse(await readFile(join(folder, manifestName), 'utf8')) as Manifest;
    const sizes = await Promise.all(
      manifest.files.map(async ({ name }) => (await stat(join(folder, name))).size),
    );
    return manifest.files.every((file, index) => sizes[index] === file.sizeBytes);
  } catch {
    return false;
  }
}

/** Bytes on the disk before the name is; readable by the unprivileged user that the browser runs as. */
async function seal(draft: string): Promise<void> {
  const entries = await readdir(draft, { recursive: true, withFileTypes: true });
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  await Promise.all([draft, ...paths].map((path) => chmod(path, 0o755)));
  const files = entries.flatMap((entry, index) => (entry.isFile() ? [paths[index]!] : []));
  const manifest: Manifest = { files: await Promise.all(files.map((path) => describe(draft, path))) };
  await writeFile(join(draft, manifestName), JSON.stringify(manifest, null, 2), { mode: 0o644, flush: true });
}

async function describe(draft: string, path: string): Promise<Manifest['files'][number]> {
  const file = await open(path);
  try {
    await file.sync();
    const hash = createHash('sha256');
    await pipeline(file.createReadStream({ autoClose: false }), hash);
    return {
      name: path.slice(draft.length + 1),
      sizeBytes: (await file.stat()).size,
      sha256: hash.digest('hex'),
    };
  } finally {
    await file.close();
  }
}

/** Others may be at it too: a whole folder in place is as good as ours, a broken one is moved out of the way. */
async function putInPlace(draft: string, folder: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await rename(draft, folder);
    } catch (error) {
      if (await isWhole(folder)) return;
      if (attempt === renameAttempts) throw error;
      const broken = `${draft}.broken`;
      await rename(folder, broken).catch(() => {});
      await rm(broken, { recursive: true, force: true });
    }
  }
}

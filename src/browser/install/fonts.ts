// The fonts that pages are drawn with: those of the system and, from npm, metric-compatible Latin, emoji, CJK and other scripts,
// in our own fontconfig file. Without fonts, text is silently invisible.
import { createHash } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { copyFile, link, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedFolder } from '#browser/install/cached-folder.ts';

const packages = [
  'arimo',
  'tinos',
  'cousine',
  'noto-color-emoji',
  'noto-sans-sc',
  'noto-sans-jp',
  'noto-sans-kr',
  'noto-sans-arabic',
  'noto-sans-hebrew',
  'noto-sans-devanagari',
  'noto-sans-thai',
];
// The packages hold up to nine weights of each face; the browser synthesizes the others from these.
export const isUsedStyle = (face: string): boolean => /^(400Regular|700Bold)(_Italic)?$/.test(face);
const systemFolders = [
  '/usr/share/fonts',
  '/usr/local/share/fonts',
  '/System/Library/Fonts',
  '/Library/Fonts',
];

const latin: Record<string, { stands: string[]; generic: string[] }> = {
  Arimo: {
    stands: ['Arial', 'Helvetica', 'Helvetica Neue', 'Liberation Sans'],
    generic: ['sans-serif', 'system-ui', 'ui-sans-serif', 'sans'],
  },
  Tinos: { stands: ['Times New Roman', 'Times', 'Liberation Serif'], generic: ['serif', 'ui-serif'] },
  Cousine: {
    stands: ['Courier New', 'Courier', 'Liberation Mono', 'Menlo', 'Consolas'],
    generic: ['monospace', 'ui-monospace', 'mono'],
  },
};
// Simplified Chinese first: it covers the most if a page does not declare its language.
const otherScripts = [
  'Noto Sans SC',
  'Noto Sans JP',
  'Noto Sans KR',
  'Noto Sans Arabic',
  'Noto Sans Hebrew',
  'Noto Sans Devanagari',
  'Noto Sans Thai',
];
const byLanguage: Record<string, string> = { ja: 'Noto Sans JP', ko: 'Noto Sans KR', zh: 'Noto Sans SC' };

/** Returns the path of the fontconfig file. The fonts are in the cache, because an unprivileged browser can read that. */
export async function installFonts(cacheFolder: string): Promise<string> {
  const sources = (await Promise.all(packages.map(fontFiles))).flat();
  const fonts = systemFolders.filter((folder) => existsSync(folder));
  const digest = createHash('sha256').update(
    JSON.stringify([
      sources.map(({ name, version }) => [name, version]),
      fonts,
      fontconfig('', []),
      cacheFolder,
    ]),
  );
  const folder = join(cacheFolder, `fonts-${digest.digest('hex').slice(0, 12)}`);
  await cachedFolder(folder, {
    async fill(draft) {
      await Promise.all(
        // A second name takes no place on the disk; another file system has to have a copy.
        sources.map(({ path, name }) =>
          link(path, join(draft, name)).catch(() =>
            copyFile(path, join(draft, name), constants.COPYFILE_FICLONE),
          ),
        ),
      );
      await writeFile(join(draft, 'fonts.conf'), fontconfig(folder, fonts));
    },
  });
  return join(folder, 'fonts.conf');
}

async function fontFiles(name: string): Promise<{ path: string; name: string; version: string }[]> {
  const folder = dirname(fileURLToPath(import.meta.resolve(`@expo-google-fonts/${name}/package.json`)));
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
  const faces = (await readdir(folder)).filter(isUsedStyle).sort();
  const files = await Promise.all(
    faces.map(async (face) => {
      const font = (await readdir(join(folder, face))).find((file) => file.endsWith('.ttf'));
      return font === undefined ? [] : [{ path: join(folder, face, font), name: font, version }];
    }),
  );
  return files.flat();
}

function fontconfig(folder: string, systemFonts: string[]): string {
  const generic = Object.entries(latin).flatMap(([font, { generic }]) =>
    generic.map((family) => alias(family, 'prefer', [font, 'Noto Color Emoji', ...otherScripts])),
  );
  const stands = Object.entries(latin).flatMap(([font, { stands }]) =>
    // "same" keeps the binding of the page's request: Chromium refuses a substitute that is only a weak match.
    stands.map((family) => alias(family, 'accept', [font], ' binding="same"')),
  );
  const languages = Object.entries(byLanguage).map(
    ([language, font]) => `  <match target="pattern">
    <test name="lang" compare="contains"><string>${language}</string></test>
    <edit name="family" mode="prepend" binding="weak"><string>${font}</string></edit>
  </match>`,
  );
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
${[folder, ...systemFonts].map((path) => `  <dir>${escapeXml(path)}</dir>`).join('\n')}
  <cachedir prefix="xdg">fontconfig</cachedir>
${[...stands, ...generic, alias('emoji', 'prefer', ['Noto Color Emoji'], ' binding="same"'), ...languages].join('\n')}
  <match target="font">
    <edit name="antialias" mode="assign"><bool>true</bool></edit>
    <edit name="hinting" mode="assign"><bool>false</bool></edit>
    <edit name="rgba" mode="assign"><const>none</const></edit>
  </match>
</fontconfig>
`;
}

function alias(family: string, rank: 'prefer' | 'accept', fonts: string[], attributes = ''): string {
  const names = fonts.map((font) => `<family>${font}</family>`).join('');
  return `  <alias${attributes}><family>${family}</family><${rank}>${names}</${rank}></alias>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

// What kind of machine this is, and how its operator installs or updates a browser on it.
import { readFileSync } from 'node:fs';

export interface System {
  /** For people: "Debian GNU/Linux 13 (trixie)". */
  name: string;
  /** The distribution and its release, for folder names: "debian-13". */
  id: string;
  /** True if packages are available from apt. */
  hasApt: boolean;
  /** How to get a browser. */
  advice: string;
  /** How to get a newer one, if it is the system's. */
  renewal: string;
}

/** What is weaker here than on Linux, worded for the operator. */
export function lessOn(platform: NodeJS.Platform): string[] {
  if (platform === 'linux') return [];
  return [
    'workers and their browsers run as the user of the service, even if that is root',
    'the memory of a worker is not judged: a page that takes gigabytes is not ended before the system does so',
    'if EGRESS_ALLOW opens 127.0.0.1, a page can reach the doors of other workers',
    'pages are drawn with the fonts of the system, so they look different from pages drawn on Linux',
  ];
}

const families: { ids: string[]; install: string; renew: string }[] = [
  {
    ids: ['ubuntu'],
    install:
      'run "sudo npx playwright-core install-deps chromium" and start again with a way to the internet',
    renew: 'sudo apt update && sudo apt upgrade',
  },
  {
    ids: ['debian'],
    install: 'run "sudo apt install chromium-headless-shell"',
    renew: 'sudo apt update && sudo apt upgrade',
  },
  {
    ids: ['fedora', 'rhel', 'centos'],
    install: 'run "sudo dnf install chromium-headless"',
    renew: 'sudo dnf upgrade',
  },
  { ids: ['arch'], install: 'run "sudo pacman -S chromium"', renew: 'sudo pacman -Syu' },
  { ids: ['suse', 'opensuse'], install: 'run "sudo zypper install chromium"', renew: 'sudo zypper update' },
  { ids: ['alpine'], install: 'run "apk add chromium"', renew: 'apk upgrade' },
];

export function readSystem(): System {
  return describeSystem(process.platform, osRelease());
}

/** `release` is the text of /etc/os-release. */
export function describeSystem(platform: NodeJS.Platform, release: string): System {
  if (platform === 'darwin') {
    return {
      name: 'macOS',
      id: 'macos',
      hasApt: false,
      advice: 'run "brew install --cask google-chrome"',
      renewal: 'brew upgrade --cask google-chrome',
    };
  }
  if (platform === 'win32') {
    return {
      name: 'Windows',
      id: 'windows',
      hasApt: false,
      advice: 'run Tintype in WSL ("wsl --install", then a Debian or Ubuntu shell)',
      renewal: 'the way you installed it',
    };
  }
  const lines = release.split('\n');
  const field = (key: string) =>
    (lines.find((line) => line.startsWith(`${key}=`)) ?? '').slice(key.length + 1).replaceAll('"', '');
  const ids = [field('ID'), ...field('ID_LIKE').split(' ')];
  const family = ids.flatMap((id) => families.filter((known) => known.ids.includes(id)))[0];
  return {
    name: field('PRETTY_NAME') || 'Linux',
    id: [field('ID') || 'linux', field('VERSION_ID')].filter(Boolean).join('-'),
    hasApt: ids.includes('debian') || ids.includes('ubuntu'),
    advice:
      family?.install ??
      'install chromium-headless-shell or chromium with the package manager of your system',
    renewal: family?.renew ?? 'upgrade it with the package manager of your system',
  };
}

function osRelease(): string {
  for (const path of ['/etc/os-release', '/usr/lib/os-release']) {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      // Not every Linux has it, and macOS does not.
    }
  }
  return '';
}

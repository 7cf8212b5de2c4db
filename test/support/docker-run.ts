// The line of docker run in docs/self-hosting/docker.md, read: what it asks of the engine.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '#test/support/processes.ts';

export interface DockerRun {
  image: string;
  isReadOnly: boolean;
  hasCapabilities: boolean;
  mayGainPrivileges: boolean;
  /** A path in the clone. */
  seccompFile: string | undefined;
  temporaryFolders: string[];
  sharedMemory: string;
  /** Where the volume is in the container. */
  volume: string | undefined;
  port: string | undefined;
}

/** Throws if the line has an option that is not known here. */
export function readDockerRun(): DockerRun {
  const page = readFileSync(join(root, 'docs', 'self-hosting', 'docker.md'), 'utf8');
  const line = /^docker run (?:.*\\\n)*.*/m.exec(page)?.[0] ?? '';
  const words = line.replaceAll('\\\n', ' ').trim().split(/\s+/).slice(2);
  const run: DockerRun = {
    image: words.pop() ?? '',
    isReadOnly: false,
    hasCapabilities: true,
    mayGainPrivileges: true,
    seccompFile: undefined,
    temporaryFolders: [],
    sharedMemory: '64m',
    volume: undefined,
    port: undefined,
  };
  const options: Record<string, (value: string) => void> = {
    '--cap-drop': (value) => (run.hasCapabilities = value !== 'ALL'),
    '--tmpfs': (value) => run.temporaryFolders.push(value),
    '--shm-size': (value) => (run.sharedMemory = value),
    '-v': (value) => (run.volume = value.split(':')[1]),
    '-p': (value) => (run.port = value.split(':').at(-1)),
    '--security-opt': (value) => {
      if (value === 'no-new-privileges') run.mayGainPrivileges = false;
      else run.seccompFile = /^seccomp=(.+)$/.exec(value)?.[1];
    },
    // These change nothing inside the container.
    '--name': () => {},
    '--restart': () => {},
    '--stop-timeout': () => {},
  };
  while (words.length > 0) {
    const option = words.shift() ?? '';
    if (option === '-d') continue;
    if (option === '--read-only') run.isReadOnly = true;
    else if (options[option]) options[option](words.shift() ?? '');
    else throw new Error(`docker run of docs/self-hosting/docker.md has an unknown option "${option}"`);
  }
  return run;
}

// The library as people install it: built, packed, and unpacked into a folder of its own.
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '#test/support/processes.ts';
import { buildClients } from '#scripts/build-clients.ts';

export async function installLibrary(folder: string): Promise<void> {
  const packages = join(root, 'clients/dist');
  await buildClients(packages);
  const place = join(folder, 'node_modules/@tintype/client');
  await mkdir(place, { recursive: true });
  const tarball = join(packages, 'tintype-client.tgz');
  await promisify(execFile)('tar', ['-xzf', tarball, '--strip-components=1', '-C', place]);
}

// The latest quota of each unit type, as the answers told it. The contract has no call that asks for usage: quota headers
// come with metered answers alone, so `tt` remembers the last ones that it saw. Spec 8.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Meta, Quota } from '../../library/src/meta.ts';
import { readJson, settingsFolder, writePrivately, type Settings } from './settings.ts';

export type Unit = 'uploads' | 'renders';
export type RememberedUsage = Partial<Record<Unit, Quota & { seenAt: string }>>;

const memoryFile = (): string => join(settingsFolder(), 'usage.json');

export async function recallUsage(settings: Settings): Promise<RememberedUsage> {
  const all = (await readJson(memoryFile())) as Record<string, RememberedUsage> | undefined;
  return all?.[accountOf(settings)] ?? {};
}

export async function rememberUsage(settings: Settings, unit: Unit, meta: Meta | undefined): Promise<void> {
  if (!meta?.quota || meta.isReplay) return;
  const all = ((await readJson(memoryFile())) ?? {}) as Record<string, RememberedUsage>;
  const account = accountOf(settings);
  all[account] = { ...all[account], [unit]: { ...meta.quota, seenAt: new Date().toISOString() } };
  await writePrivately(memoryFile(), all);
}

/** Neither the key nor anything that leads back to it. */
function accountOf({ url, key }: Settings): string {
  return `${url} ${createHash('sha256').update(key).digest('hex').slice(0, 12)}`;
}

// The library, set up for the command line.
import type { Meta } from '../../library/src/meta.ts';
import type { TintypeOptions } from '../../library/src/options.ts';
import { Tintype } from '../../library/src/tintype.ts';
import { describe, say } from './command.ts';
import { readSettings, type Settings } from './settings.ts';
import { rememberUsage, type Unit } from './usage-memory.ts';

export interface ServiceAccess {
  client: Tintype;
  settings: Settings;
  /** Keeps what an answer says about the quota, and warns when it runs out. */
  note(unit: Unit, meta: Meta | undefined): Promise<void>;
}

export async function openService(options: Partial<TintypeOptions> = {}): Promise<ServiceAccess> {
  const settings = await readSettings();
  return {
    client: new Tintype({ baseUrl: settings.url, apiKey: settings.key, onRetry: sayRetry, ...options }),
    settings,
    async note(unit, meta) {
      if (!meta?.quota) return;
      await rememberUsage(settings, unit, meta);
      const { warning, usagePercent, isOverage } = meta.quota;
      if (isOverage) say(`the monthly quota of ${unit} is used up; this was billed as an overage`);
      else if (warning !== undefined)
        say(`${usagePercent ?? warning} % of the monthly quota of ${unit} is used`);
    },
  };
}

const sayRetry: NonNullable<TintypeOptions['onRetry']> = ({ error, delayMs }) => {
  say(`${describe(error)}; again in ${Math.ceil(delayMs / 1000)} s`);
};

// The library, set up for the command line.
import type { Meta } from '../../library/src/meta.ts';
import type { TintypeOptions } from '../../library/src/options.ts';
import { Tintype } from '../../library/src/tintype.ts';
import { describe, remark } from './terminal.ts';
import { proxyFetch } from './proxy.ts';
import { readSettings, type Settings } from './settings.ts';

export interface ServiceAccess {
  client: Tintype;
  settings: Settings;
  /** Warns when the quota runs out. */
  note(unit: 'uploads' | 'renders', meta: Meta | undefined): void;
}

let limits: Pick<TintypeOptions, 'timeoutMs' | 'maxRetries'> = {};

/** From now on these hold for every request. */
export function useLimits(given: typeof limits): void {
  limits = given;
}

export async function openService(options: Partial<TintypeOptions> = {}): Promise<ServiceAccess> {
  const settings = await readSettings();
  return { client: clientFor(settings, options), settings, note };
}

export function clientFor({ url, key }: Settings, options: Partial<TintypeOptions> = {}): Tintype {
  return new Tintype({
    baseUrl: url,
    apiKey: key,
    onRetry: sayRetry,
    wireNames: true,
    fetch: proxyFetch(url, process.env),
    ...limits,
    ...options,
  });
}

function note(unit: 'uploads' | 'renders', meta: Meta | undefined): void {
  if (!meta?.quota) return;
  const { warning, usagePercent, isOverage } = meta.quota;
  if (isOverage) remark(`the monthly quota of ${unit} is used up; this was billed as an overage`);
  else if (warning !== undefined)
    remark(`${usagePercent ?? warning} % of the monthly quota of ${unit} is used`);
}

const sayRetry: NonNullable<TintypeOptions['onRetry']> = ({ error, delayMs }) => {
  remark(`${describe(error)}; again in ${Math.ceil(delayMs / 1000)} s`);
};

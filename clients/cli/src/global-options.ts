// The options that every command has.
import { readFile } from 'node:fs/promises';
import * as tls from 'node:tls';
import { useLimits } from '../../shared/src/service.ts';
import { useProfile } from '../../shared/src/settings.ts';
import { beQuiet, UsageError } from '../../shared/src/terminal.ts';
import { number, text, type Values } from './command.ts';

export const globalOptions = {
  profile: { type: 'string' },
  timeout: { type: 'string' },
  retries: { type: 'string' },
  cacert: { type: 'string' },
  quiet: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

export async function useGlobal(values: Values): Promise<void> {
  useProfile(text(values, 'profile'));
  if (values['quiet'] === true) beQuiet();
  const seconds = number(values, 'timeout');
  const maxRetries = number(values, 'retries');
  if (seconds !== undefined && seconds <= 0) throw new UsageError('--timeout must be more than 0 seconds');
  if (maxRetries !== undefined && (maxRetries < 0 || !Number.isInteger(maxRetries)))
    throw new UsageError('--retries must be a whole number, 0 for none');
  useLimits({
    ...(seconds !== undefined && { timeoutMs: seconds * 1000 }),
    ...(maxRetries !== undefined && { maxRetries }),
  });
  const authority = text(values, 'cacert');
  if (authority !== undefined) await trust(authority);
}

async function trust(file: string): Promise<void> {
  const certificate = await readFile(file, 'utf8').catch((error: Error) => {
    throw new UsageError(`cannot read ${file}: ${error.message}`);
  });
  if (!certificate.includes('-----BEGIN CERTIFICATE-----'))
    throw new UsageError(`${file} has no certificate in PEM form`);
  // Since Node 22.19 and 24.5.
  if (typeof tls.setDefaultCACertificates !== 'function')
    throw new UsageError(`--cacert needs a newer Node; set NODE_EXTRA_CA_CERTS=${file} instead`);
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), certificate]);
}

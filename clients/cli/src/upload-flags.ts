// The fields of an upload, an album and an upload link on the command line.
import { toCamel } from '../../library/src/letter-case.ts';
import type { UploadFields } from '../../library/src/hosting.ts';
import { omit, type ObjectSchema } from '../../shared/src/fields.ts';
import { flagsOf, type Flag } from '../../shared/src/flags.ts';
import { UploadFromUrl } from '../../shared/src/requests.ts';
import { UsageError } from '../../shared/src/terminal.ts';
import { text, type Values } from './command.ts';
import { fieldsFrom, helpRows, parsedFlags, type HelpRow } from './field-flags.ts';

/** The flags of a request that makes a link: people write its life as 7d. */
export function linkFieldFlags(schema: ObjectSchema, ...omitted: string[]) {
  const flags: Flag[] = flagsOf(omit(schema, 'expires_in', ...omitted));
  const rows: HelpRow[] = [
    ['--expires-in TIME', 'Let the link expire: seconds, or a number with s, m, h, d'],
    ...helpRows(flags),
  ];
  return {
    rows,
    options: { 'expires-in': { type: 'string' }, ...parsedFlags(flags) } as const,
    /** The fields that were given, as the library names them. */
    read(values: Values): object {
      const expiresIn = parseDuration(text(values, 'expires-in'));
      return {
        ...(toCamel(fieldsFrom(flags, values)) as object),
        ...(expiresIn !== undefined && { expiresIn }),
      };
    },
  };
}

/** A file has its own name and address. */
const flags = linkFieldFlags(UploadFromUrl, 'url', 'filename');
export const uploadFlags = { ...flags, read: (values: Values): UploadFields => flags.read(values) };

const secondsOf = { s: 1, m: 60, h: 3600, d: 86_400 };

function parseDuration(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const [, amount, unit = 's'] = /^(\d+)([smhd])?$/.exec(value) ?? [];
  if (amount === undefined)
    throw new UsageError(`--expires-in must be like 3600, 90m, 12h or 7d, not "${value}"`);
  return Number(amount) * secondsOf[unit as keyof typeof secondsOf];
}

// tt link: an address that renders when somebody opens it, signed by the service or with a link key of this machine.
import { toCamel } from '../../library/src/letter-case.ts';
import { signLink, type LinkFields } from '../../library/src/sign-link.ts';
import { omit } from '../../shared/src/fields.ts';
import { flagsOf } from '../../shared/src/flags.ts';
import { RenderRequest, unlinkedFields } from '../../shared/src/requests.ts';
import { openService } from '../../shared/src/service.ts';
import { readSettings } from '../../shared/src/settings.ts';
import { print, UsageError } from '../../shared/src/terminal.ts';
import { text, type Call, type Command } from './command.ts';
import { fieldsFrom, helpRows, helpTable, parsedFlags } from './field-flags.ts';
import { sourceOf, waitsOf } from './render-document.ts';

const flags = flagsOf(
  omit(RenderRequest, 'url', 'html', 'markdown', 'outputs', 'wait_for', ...unlinkedFields),
);

export const link: Command = {
  summary: 'Sign a link that renders when somebody opens it',
  help: `Usage: tt link [options] URL | FILE.html | FILE.md | -

Prints an address for <img> tags and social cards. It is rendered at most once
for each --max-age (60 seconds to 30 days, a day by default), whoever opens it.
The service signs it; with --link-key it is signed here, and nothing is sent.

Options:
${helpTable([
  ['--valid-until TIME', 'When the link ends, such as 2030-01-31T12:00:00Z'],
  ['--link-key ID', 'Sign here, with this key and the secret in TINTYPE_LINK_SECRET'],
  ['--at URL', 'With --link-key: where links are, if not at the address of the service'],
  ['--wait-for SELECTOR', 'Wait until this is visible; may be given several times'],
  ['--wait-for-expression JS', 'Wait until this is true; may be given several times'],
  ...helpRows(flags),
])}

Examples:
  tt link example.com --max-age 3600
  tt link card.html --width 1200 --height 630
  TINTYPE_LINK_SECRET=lksec_… tt link --link-key lk_… example.com`,
  options: {
    'valid-until': { type: 'string' },
    'link-key': { type: 'string' },
    at: { type: 'string' },
    'wait-for': { type: 'string', multiple: true },
    'wait-for-expression': { type: 'string', multiple: true },
    ...parsedFlags(flags),
  },
  run,
};

async function run({ values, positionals, signal }: Call): Promise<number> {
  const { source } = await sourceOf(positionals);
  const validUntil = text(values, 'valid-until');
  if (validUntil !== undefined && Number.isNaN(Date.parse(validUntil)))
    throw new UsageError(`--valid-until must be a time such as 2030-01-31T12:00:00Z, not "${validUntil}"`);
  const fields = {
    ...source,
    ...(toCamel(fieldsFrom(flags, values)) as object),
    ...waitsOf(values),
    ...(validUntil !== undefined && { validUntil }),
  } as LinkFields;
  const linkKey = text(values, 'link-key');
  if (linkKey === undefined) {
    const { client } = await openService();
    await print(`${await client.link(fields, { signal })}\n`);
    return 0;
  }
  const secret = process.env['TINTYPE_LINK_SECRET'];
  if (!secret) throw new UsageError('--link-key needs the secret of the key in TINTYPE_LINK_SECRET');
  const baseUrl =
    text(values, 'at') ?? (process.env['TINTYPE_URL'] || undefined) ?? (await readSettings()).url;
  await print(`${await signLink(fields, { baseUrl, linkKey, secret })}\n`);
  return 0;
}

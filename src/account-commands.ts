// The operator's commands for accounts and their keys. Each has its data for --json and its text for people.
import type { ParseArgsOptionsConfig } from 'node:util';
import { AccountError, type Account, type Accounts } from '#accounts/accounts.ts';
import { limits } from '#core/limits.ts';
import { keyScopes, type ApiKeyRow, type KeyScope } from '#storage/schema.ts';
import type { openAccounts } from '#roof/service.ts';
import { UsageError } from '#roof/usage-error.ts';

export const accountUsage = `\
  account create --email E [--plan P] [--unverified]
  account update E [--plan P] [--suspended true|false] [--verified true|false] [--overages on|off]
                   [--owner true|false] [--allow-hosts wiki.corp:443,…]
  account link E                                    a one-time link to sign in at the dashboard
  account list
  account delete E --yes                            with all its files; the service deletes them within a minute
  key create --account E [--name N] [--scope uploads|renders|all] [--expires-in-days N]
             [--uploads-per-month N] [--renders-per-month N]
  key list --account E
  key revoke ID
  key generate                                      a key for the variable OWNER_KEY; nothing is stored
  link-key create --account E [--name N]            a key that signs links; its secret is shown once
  link-key list --account E
  link-key revoke KEY                               ends all its links
  webhook-secret rotate --account E                 a new secret for webhooks; the old one signs too for a day,
                                                    or until the next rotate: twice ends a leaked one at once
`;

type OpenedAccounts = Awaited<ReturnType<typeof openAccounts>>;
type Options = Record<string, string | boolean | undefined>;

interface Command {
  options: ParseArgsOptionsConfig;
  /** How many words follow the command's name. */
  operands: number;
  run: (
    accounts: Accounts,
    options: Options,
    operand: string,
    more: Pick<OpenedAccounts, 'welcomeLink' | 'webhookSecrets' | 'linkKeys' | 'deletion'>,
  ) => Promise<Result>;
}

interface Result {
  data: unknown;
  text: string;
  /** The lines of a list: on a terminal they are shown with headings instead of the text. */
  rows?: Record<string, string | null>[];
}

const text = { type: 'string' } as const;

export const accountCommands: Record<string, Command> = {
  'account create': {
    options: { email: text, plan: text, unverified: { type: 'boolean' } },
    operands: 0,
    async run(accounts, { email, plan, unverified }) {
      const account = await accounts.create(required('--email', email), {
        ...(typeof plan === 'string' && { plan }),
        verified: unverified !== true,
      });
      return { data: promised(account), text: accountLine(account) };
    },
  },
  'account update': {
    options: {
      plan: text,
      suspended: text,
      verified: text,
      overages: text,
      owner: text,
      'allow-hosts': text,
    },
    operands: 1,
    async run(accounts, { plan, suspended, verified, overages, owner, 'allow-hosts': hosts }, email) {
      const account = await accounts.update(email, {
        ...(typeof plan === 'string' && { plan }),
        ...(suspended !== undefined && { suspended: choice('--suspended', suspended, 'true', 'false') }),
        ...(verified !== undefined && { verified: choice('--verified', verified, 'true', 'false') }),
        ...(overages !== undefined && { overages: choice('--overages', overages, 'on', 'off') }),
        ...(owner !== undefined && { owner: choice('--owner', owner, 'true', 'false') }),
        ...(typeof hosts === 'string' && { allowedHosts: hosts }),
      });
      return { data: promised(account), text: accountLine(account) };
    },
  },
  'account link': {
    options: {},
    operands: 1,
    async run(_accounts, _options, email, { welcomeLink }) {
      const link = await welcomeLink(email);
      return { data: { link }, text: link };
    },
  },
  'account list': {
    options: {},
    operands: 0,
    async run(accounts) {
      const list = await accounts.list();
      return { data: list, text: list.map(accountLine).join('\n'), rows: list.map(accountRow) };
    },
  },
  'account delete': {
    options: { yes: { type: 'boolean' } },
    operands: 1,
    async run(accounts, { yes }, email, { deletion }) {
      const account = await accounts.require(email);
      if (yes !== true)
        throw new UsageError(`--yes is missing: it deletes "${account.email}" and all its files for good`);
      await deletion.begin(account.id).catch((error: unknown) => {
        throw error instanceof AccountError ? new AccountError(`"${account.email}" ${error.message}`) : error;
      });
      return { data: { id: account.id }, text: `deleted ${account.email}` };
    },
  },
  'key create': {
    options: {
      account: text,
      name: text,
      scope: text,
      'expires-in-days': text,
      'uploads-per-month': text,
      'renders-per-month': text,
    },
    operands: 0,
    async run(accounts, { account, name, scope, 'expires-in-days': days, ...quota }) {
      const created = await accounts.createKey(
        required('--account', account),
        typeof name === 'string' ? name : 'command line',
        {
          ...(scope !== undefined && { scope: scopeOf(scope) }),
          ...(days !== undefined && { expiresInMs: daysOf(days) * 86_400_000 }),
          uploadsPerMonth: unitsOf('--uploads-per-month', quota['uploads-per-month']),
          rendersPerMonth: unitsOf('--renders-per-month', quota['renders-per-month']),
        },
      );
      return { data: created, text: `${created.key}\n(id ${created.id}; the key is shown only once)` };
    },
  },
  'key list': {
    options: { account: text },
    operands: 0,
    async run(accounts, { account }) {
      const list = (await accounts.listKeys(required('--account', account))).map(keyView);
      const rows = list.map(keyRow);
      return { data: list, text: rows.map((one) => Object.values(one).join('  ')).join('\n'), rows };
    },
  },
  'key revoke': {
    options: {},
    operands: 1,
    async run(accounts, _options, id) {
      const key = keyView(await accounts.revokeKey(id));
      return { data: key, text: `revoked ${key.id} (${key.name})` };
    },
  },
  'link-key create': {
    options: { account: text, name: text },
    operands: 0,
    async run(accounts, { account, name }, _operand, { linkKeys }) {
      const { id: accountId } = await accounts.require(required('--account', account));
      const { row, secret } = await linkKeys.create(
        accountId,
        typeof name === 'string' ? name : 'command line',
      );
      return {
        data: { key: row.id, secret },
        text: `${secret}\n(link key ${row.id}; the secret is shown only once)`,
      };
    },
  },
  'link-key list': {
    options: { account: text },
    operands: 0,
    async run(accounts, { account }, _operand, { linkKeys }) {
      const { id: accountId } = await accounts.require(required('--account', account));
      const list = (await linkKeys.list(accountId)).map(({ id: key, name, created_at }) => ({
        key,
        name,
        created_at: isoTime(created_at),
      }));
      return { data: list, text: list.map((one) => Object.values(one).join('  ')).join('\n'), rows: list };
    },
  },
  'link-key revoke': {
    options: {},
    operands: 1,
    async run(_accounts, _options, id, { linkKeys }) {
      const row = await linkKeys.revokeAny(id);
      return { data: { key: row.id, name: row.name }, text: `revoked ${row.id} (${row.name})` };
    },
  },
  'webhook-secret rotate': {
    options: { account: text },
    operands: 0,
    async run(accounts, { account }, _operand, { webhookSecrets }) {
      const { id } = await accounts.require(required('--account', account));
      const secret = await webhookSecrets.rotate(id);
      return {
        data: { secret },
        text: `${secret}\n(shown only once; the old one signs too for a day, or until the next rotate)`,
      };
    },
  },
};

function required(option: string, value: string | boolean | undefined): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new UsageError(`${option} is missing`);
}

function choice(option: string, value: string | boolean, yes: string, no: string): boolean {
  if (value === yes) return true;
  if (value === no) return false;
  throw new UsageError(`${option} must be ${yes} or ${no}, not "${value}"`);
}

function scopeOf(value: string | boolean): KeyScope {
  const scope = keyScopes.find((known) => known === value);
  if (scope) return scope;
  throw new UsageError(`--scope must be uploads, renders or all, not "${value}"`);
}

function daysOf(value: string | boolean): number {
  const days = /^\d{1,4}$/.test(String(value)) ? Number(value) : 0;
  if (days >= 1 && days <= limits.keyDays) return days;
  throw new UsageError(
    `--expires-in-days must be a whole number from 1 to ${limits.keyDays}, not "${value}"`,
  );
}

/** Null for a key without a quota of its own. */
function unitsOf(option: string, value: string | boolean | undefined): number | null {
  if (value === undefined) return null;
  if (/^\d{1,9}$/.test(String(value))) return Number(value);
  throw new UsageError(`${option} must be a whole number from 0 to 999999999, not "${value}"`);
}

/** What scripts are promised of an account; `account list` has more. */
function promised({ id, email, plan, verified, suspended, overages }: Account) {
  return { id, email, plan, verified, suspended, overages };
}

function accountLine(account: Account): string {
  const { email, plan, id, notes } = accountRow(account);
  return `${email}  ${plan}  ${id}${notes === null ? '' : `  (${notes})`}`;
}

function accountRow({ email, plan, verified, suspended, overages, id }: Account) {
  const notes = [!verified && 'unverified', suspended && 'suspended', overages && 'overages on'].filter(
    Boolean,
  );
  return { email, plan, id, notes: notes.join(', ') || null };
}

function keyView(row: ApiKeyRow) {
  const { id, name, display, scope, created_at, last_used_at, expires_at, revoked_at } = row;
  return {
    id,
    name,
    key: display,
    scope,
    created_at: isoTime(created_at),
    last_used_at: isoTime(last_used_at),
    expires_at: isoTime(expires_at),
    revoked_at: isoTime(revoked_at),
    uploads_per_month: row.uploads_per_month,
    renders_per_month: row.renders_per_month,
  };
}

function keyRow({
  uploads_per_month: uploads,
  renders_per_month: renders,
  ...row
}: ReturnType<typeof keyView>) {
  const quota = [uploads !== null && `${uploads} uploads`, renders !== null && `${renders} renders`];
  return { ...row, monthly: quota.filter(Boolean).join(', ') || null };
}

const isoTime = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

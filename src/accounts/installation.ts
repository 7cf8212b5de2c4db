// The owner's settings for the installation, changed in the dashboard. An environment variable overrides the dashboard.
import type { Clock } from '#core/clock.ts';
import { invalid } from '#core/errors.ts';
import type { Database } from '#storage/database.ts';
import type { AccountRow } from '#storage/schema.ts';
import { recordAct } from '#accounts/audit.ts';

export type Installation = ReturnType<typeof createInstallation>;

export type Signups = 'open' | 'closed';

export interface InstallationSettings {
  signups: Signups;
  /** SIGNUPS is set: the dashboard cannot change it. */
  isSignupsFixed: boolean;
  /** How people reach the operator: an address, a link or a sentence. */
  operatorContact: string | null;
}

export interface InstallationChange {
  signups?: Signups;
  operatorContact?: string | null;
}

const names = { signups: 'signups', operatorContact: 'operator_contact' };

export function createInstallation(parts: {
  database: Database;
  clock: Clock;
  /** From the environment; undefined if not set there. */
  signups: Signups | undefined;
}) {
  const { database, clock, signups } = parts;

  /** Read each time: another machine may have changed it, and reads are rare. */
  async function read(): Promise<InstallationSettings> {
    const kept = await database.tables.settings.read(Object.values(names));
    return {
      signups: signups ?? (kept.get(names.signups) === 'open' ? 'open' : 'closed'),
      isSignupsFixed: signups !== undefined,
      operatorContact: kept.get(names.operatorContact) ?? null,
    };
  }

  return {
    read,
    async change(actor: AccountRow, change: InstallationChange): Promise<InstallationSettings> {
      if (change.signups !== undefined && signups !== undefined) {
        throw invalid('signups', `is set to ${signups} by the variable SIGNUPS; change it there`);
      }
      await database.transaction(async (tables) => {
        if (change.signups !== undefined) await tables.settings.write(names.signups, change.signups);
        if (change.operatorContact !== undefined)
          await tables.settings.write(names.operatorContact, change.operatorContact);
        await recordAct(tables, actor, clock.now(), { action: 'settings.update', detail: change });
      });
      return read();
    },
  };
}

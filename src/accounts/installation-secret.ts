// The secret of the installation. It signs sessions and encrypts what the service must be able to read again. It is in the settings,
// so it protects a table that leaks alone, not the whole database.
import { newSecret } from '#core/ids.ts';
import type { Database } from '#storage/database.ts';

export const installationSecret = ({ tables }: Pick<Database, 'tables'>): Promise<string> =>
  tables.settings.getOr('session_secret', newSecret());

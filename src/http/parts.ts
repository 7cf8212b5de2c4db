// What the server is made of: the rooms, and its addresses.
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '#core/clock.ts';
import type { Database } from '#storage/database.ts';
import type { Browser } from '#browser/browser.ts';
import type { AccountDeletion } from '#accounts/account-deletion.ts';
import type { AccountsRoom } from '#accounts/room.ts';
import type { MeteringRoom } from '#metering/room.ts';
import type { UploadsRoom } from '#uploads/room.ts';
import type { RendersRoom } from '#renders/room.ts';
import type { ListenerSettings } from '#http/connection/listener.ts';

export interface ServerParts {
  log: FastifyBaseLogger;
  clock: Clock;
  settings: ServerSettings;
  database: Database;
  browser: Browser;
  accounts: AccountsRoom & { accountDeletion: AccountDeletion };
  metering: MeteringRoom;
  uploads: UploadsRoom;
  renders: RendersRoom;
}

interface ServerSettings extends ListenerSettings {
  host: string;
  port: number;
  baseUrl: string;
  contentBaseUrl: string;
  /** Origins whose pages may call the API. */
  corsOrigins: string[];
  /** Other hosts that pictures on our pages come from. */
  pictureOrigins: string[];
  version: string;
  /** Undefined when no data is stored on this machine. */
  dataDir: string | undefined;
}

// What the server is made of: the rooms, and its settings.
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '#core/clock.ts';
import type { Timings } from '#core/timings.ts';
import type { Cell } from '#cell/cell.ts';
import type { Database } from '#storage/database.ts';
import type { Browser } from '#browser/browser.ts';
import type { AccountDeletion } from '#accounts/account-deletion.ts';
import type { AccountsRoom } from '#accounts/room.ts';
import type { DeliveryRoom } from '#delivery/room.ts';
import type { MeteringRoom } from '#metering/room.ts';
import type { UploadsRoom } from '#uploads/room.ts';
import type { RendersRoom } from '#renders/room.ts';
import type { ListenerSettings } from '#http/connection/listener.ts';
import type { TlsFiles } from '#http/connection/renewed-certificate.ts';
import type { Guards } from '#http/guards.ts';
import type { Idempotency } from '#http/idempotency.ts';
import type { Metrics } from '#server/metrics.ts';

export interface ServerParts {
  log: FastifyBaseLogger;
  clock: Clock;
  settings: ServerSettings;
  database: Database;
  storeTimings: Timings;
  browser: Browser;
  accounts: AccountsRoom & { accountDeletion: AccountDeletion };
  delivery: DeliveryRoom;
  metering: MeteringRoom;
  uploads: UploadsRoom;
  renders: RendersRoom;
  cell: Cell;
}

/** What the routes are made of; each handler names what it needs. */
export interface RouteParts extends ServerParts {
  guards: Guards;
  metrics: Metrics;
  idempotency: Idempotency;
}

interface ServerSettings extends ListenerSettings {
  tls: TlsFiles | undefined;
  host: string;
  port: number;
  /** Of /metrics alone, on loopback; undefined for that of the service. */
  metricsPort: number | undefined;
  baseUrl: string;
  contentBaseUrl: string;
  /** Origins whose pages may call the API. */
  corsOrigins: string[];
  /** Other hosts that pictures on our pages come from. */
  pictureOrigins: string[];
  /** The operator's list of hosts that `ads` blocks; null if there is none. */
  blockedHostsFile: string | null;
  version: string;
  /** Undefined when no data is stored on this machine. */
  dataDir: string | undefined;
}

// What the server is made of: the rooms, and its addresses; and what a request collects on its way.
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '#core/clock.ts';
import type { ServiceError } from '#core/errors.ts';
import type { Phases } from '#core/phases.ts';
import type { Timings } from '#core/timings.ts';
import type { Cell } from '#cell/cell.ts';
import type { Database } from '#storage/database.ts';
import type { RequestKind } from '#storage/schema.ts';
import type { Browser } from '#browser/browser.ts';
import type { AccountDeletion } from '#accounts/account-deletion.ts';
import type { Caller } from '#accounts/authenticate.ts';
import type { AccountsRoom } from '#accounts/room.ts';
import type { DeliveryRoom } from '#delivery/room.ts';
import type { MeteringRoom } from '#metering/room.ts';
import type { UploadsRoom } from '#uploads/room.ts';
import type { RendersRoom } from '#renders/room.ts';
import type { ListenerSettings } from '#http/connection/listener.ts';
import type { TlsFiles } from '#http/connection/renewed-certificate.ts';
import type { Guards } from '#http/guards.ts';
import type { Idempotency } from '#http/idempotency.ts';
import type { Metrics } from '#http/metrics.ts';
import type { Place } from '#http/route.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the routes of its path say, whatever the method. */
    place: Place;
    /** Set by the guard of the route. */
    caller: Caller | undefined;
    /** What the handler recorded for the account's owner; undefined if it did not get that far. */
    notes: RequestNotes | undefined;
    failure: ServiceError | undefined;
  }
  interface FastifyContextConfig {
    /** Of requests to an endpoint of the API. */
    kind?: RequestKind;
  }
}

interface RequestNotes {
  /** Also those of a request that fails, up to the failure. */
  phases: Phases;
  /** Ids of what was stored. */
  made: string[];
  /** A render for later. */
  isQueued?: boolean;
  /** Error codes of the files that were not. */
  refused?: string[];
}

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

/** What handlers are made of; each takes what it needs. */
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

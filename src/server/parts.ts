// What the server is made of: the rooms, and its settings.
import type { FastifyBaseLogger } from 'fastify';
import type { Timings } from '#core/timings.ts';
import type { Cell } from '#cell/cell.ts';
import type { ListenerSettings } from '#http/connection/listener.ts';
import type { TlsFiles } from '#http/connection/renewed-certificate.ts';
import type { Guards } from '#http/guards.ts';
import type { Idempotency } from '#http/idempotency.ts';
import type { Rooms } from '#http/rooms.ts';
import type { Metrics } from '#server/metrics.ts';

export interface ServerParts extends Rooms {
  log: FastifyBaseLogger;
  settings: ServerSettings;
  storeTimings: Timings;
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
  /** The port of /metrics alone, on loopback; undefined for that of the service. */
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

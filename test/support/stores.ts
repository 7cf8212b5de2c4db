// Where the services and suites of a test process keep their data, by its engine: in folders of their own, or each in a new database and
// under a new prefix of a bucket. Postgres and S3 are real servers: those of TEST_DATABASE_URL and TEST_S3_URL, or one of each on
// loopback for the whole process.
import { openServer } from '#test/support/postgres.ts';
import { openS3 } from '#test/support/s3.ts';
import { shared } from '#test/support/shared.ts';

/** `postgres-s3` in the second gate; see scripts/test-files.ts. */
export function isOnServers(): boolean {
  return process.env['TEST_ENGINE'] === 'postgres-s3';
}

const sharedPostgres = shared(
  () => openServer(),
  (server) => server.stop(),
);
const sharedS3 = shared(
  () => openS3(),
  (server) => server.stop(),
);

/** How often the tests of this process have asked for an empty store on a server: scripts/test-together.ts refuses files that never do. */
export const onServers = { asked: 0 };

export async function newDatabase(): Promise<string> {
  onServers.asked += 1;
  return (await sharedPostgres()).newDatabase();
}

export async function newStorageUrl(): Promise<string> {
  onServers.asked += 1;
  return (await sharedS3()).newStorageUrl();
}

/** The environment variables with which a new service uses empty stores; none if they are to be in its data folder. */
export async function newStores(): Promise<Record<string, string>> {
  if (!isOnServers()) return {};
  const [DATABASE_URL, STORAGE_URL] = await Promise.all([newDatabase(), newStorageUrl()]);
  return { DATABASE_URL, STORAGE_URL };
}

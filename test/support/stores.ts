// Where the services of a test run keep their data: in their own folders or, if the environment says so, each in a new database
// and a new prefix of a bucket.
import { newDatabase } from '#test/support/postgres.ts';
import { newStorageUrl } from '#test/support/s3.ts';

/** Makes the services of a test run use these stores. */
export interface ServiceStores {
  TEST_SERVICE_DATABASE_URL: string;
  TEST_SERVICE_STORAGE_URL: string;
}

export async function newStores(): Promise<Record<string, string>> {
  const { TEST_SERVICE_DATABASE_URL: databaseUrl, TEST_SERVICE_STORAGE_URL: storageUrl } = process.env;
  if (databaseUrl === undefined || storageUrl === undefined) return {};
  return { DATABASE_URL: await newDatabase(databaseUrl), STORAGE_URL: newStorageUrl(storageUrl) };
}

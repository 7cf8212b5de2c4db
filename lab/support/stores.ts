// Where the services of a test run keep their data: in their own folders or, if the environment says so, each in a new database
// and a new prefix of a bucket.
import { Client } from 'pg';
import { newId } from '#core/ids.ts';

export interface SharedStores {
  /** Any database of the server, from which others are created. */
  TEST_POSTGRES_URL: string;
  /** Any prefix of the bucket. */
  TEST_STORAGE_URL: string;
}

export async function newStores(): Promise<Record<string, string>> {
  const { TEST_POSTGRES_URL: postgresUrl, TEST_STORAGE_URL: storageUrl } = process.env;
  if (postgresUrl === undefined || storageUrl === undefined) return {};
  const name = `test_${newId().toLowerCase()}`;
  const client = new Client({ connectionString: postgresUrl });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return {
    DATABASE_URL: new URL(`/${name}${new URL(postgresUrl).search}`, postgresUrl).href,
    STORAGE_URL: storageUrl.replace(/prefix=.*/, `prefix=${name}/`),
  };
}

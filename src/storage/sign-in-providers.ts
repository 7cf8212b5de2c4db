// The migration to people who sign in with a provider: who somebody is there belongs to one person here.
// Like every migration it is never edited after a release, so it uses nothing from the rest of the code.

/** One entry per statement, because SQLite's driver runs one at a time. */
export const signInProviders = [
  `create unique index credentials_at_provider on credentials (provider_id, account_id)
    where provider_id <> 'credential'`,
];

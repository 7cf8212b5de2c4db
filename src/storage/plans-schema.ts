// The migration to plans that owners edit. schema.ts describes the columns. Like every migration it is never edited after a release,
// so it uses nothing from the rest of the code.

/** One entry per statement, because SQLite's driver runs one at a time. */
export const plansSchema = [
  `create table plans (
    id text primary key,
    definition text not null
  )`,
];

import { testMigration } from './migration.ts';

testMigration({ uploads: 600, interruptions: 1 });

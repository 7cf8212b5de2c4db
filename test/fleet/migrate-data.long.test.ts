import { testMigration } from './migration.ts';

testMigration({ uploads: 1_200, interruptions: 2 });

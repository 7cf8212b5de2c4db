import { testMigration } from './migration.ts';

testMigration({ uploads: 300, interruptions: 1 });

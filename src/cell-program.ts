// What the threads of the cell can do. Everything that reads what strangers have sent is here and is loaded nowhere else in the service.
import { serveWorks } from '#cell/serve-works.ts';

serveWorks({
  cleanFile: async () => (await import('#uploads/clean-file.ts')).cleanFile,
  measureFile: async () => (await import('#uploads/dimensions.ts')).measureFile,
  readLargeRequest: async () => (await import('#api/v2/read-request.ts')).readLargeRequest,
});

// What happens when something that the service depends on fails: the disk, the database, the clock, the process itself.
import type { Proof } from '#lab/prove/proof.ts';
import { stepTheClock } from '#lab/prove/faults/clock.ts';
import { crashAtEveryPoint, crashInTraffic } from '#lab/prove/faults/crashes.ts';
import { crashQueuedRenders } from '#lab/prove/faults/queued-renders.ts';
import { crashWhileReporting } from '#lab/prove/faults/webhooks.ts';
import { killWorkers } from '#lab/prove/faults/workers.ts';
import { fillTheDisk, lockTheDatabase, makeTheFolderReadOnly } from '#lab/prove/faults/stores.ts';

export const faults: Proof = {
  name: 'faults',
  title: 'Faults underneath',
  async run(size, say) {
    const scenarios = [
      crashAtEveryPoint,
      crashInTraffic,
      crashWhileReporting,
      crashQueuedRenders,
      killWorkers,
      fillTheDisk,
      makeTheFolderReadOnly,
      lockTheDatabase,
      stepTheClock,
    ];
    const findings = [];
    for (const scenario of scenarios) {
      const startedAt = performance.now();
      findings.push(...(await scenario(size)));
      say(`${scenario.name}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
    }
    return findings;
  },
};

// What a neighbour loses to processor time alone: loops that use nothing else, in a session of their own with the weight of a render
// worker. An attack that costs the neighbour no more than these do holds up nothing but a core.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { lowerPriority, workerNiceness } from '#browser/process/priority.ts';
import type { Attack } from '#lab/prove/neighbours/attack.ts';

const loops = 2 * availableParallelism();

export const processorOnly: Attack = {
  name: `${loops} endless loops outside of any browser`,
  resource: 'processor time alone',
  isByPages: true,
  async run(_, isOver) {
    const child = spawn(process.execPath, [import.meta.filename], { detached: true, stdio: 'ignore' });
    while (!isOver()) await delay(50);
    process.kill(-child.pid!, 'SIGKILL');
    return loops;
  },
};

if (import.meta.main) {
  lowerPriority(workerNiceness);
  for (let count = 0; count < loops; count += 1) spawn('sh', ['-c', 'while :; do :; done']);
}

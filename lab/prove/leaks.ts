// What is left behind after interruptions: every path that holds a spool, a stream or a descriptor runs in a separate process,
// with a failure and with a client that disconnects at each call that the path makes.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Finding, Proof } from '#lab/prove/proof.ts';

const rounds = { short: 1, long: 10 };

export const leaksProof: Proof = {
  name: 'leaks',
  title: 'What interruptions leave behind',
  async run(size, say) {
    say(`walking each path ${rounds[size]} times`);
    const script = join(import.meta.dirname, 'leaks', 'walk.ts');
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--expose-gc', script, String(rounds[size])],
      { maxBuffer: 1024 * 1024, timeout: 30 * 60_000 },
    );
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '[]') as Finding[];
  },
};

// One attack, as a process of its own, so that the clock of the neighbour's client is not held by it. The argument is JSON. It goes
// on until stdin ends, then tells how often it did what it does.
import { attacks } from '#lab/prove/neighbours/attacks.ts';
import type { Target } from '#lab/prove/neighbours/target.ts';

const { name, target } = JSON.parse(process.argv[2] ?? '{}') as { name: string; target: Target };
const attack = attacks.find((candidate) => candidate.name === name);
if (!attack) throw new Error(`there is no attack "${name}"`);
let isOver = false;
process.stdin.on('end', () => (isOver = true)).resume();
process.stdout.write('begun\n');
const count = await attack.run(target, () => isOver);
process.stdout.write(`${JSON.stringify({ count })}\n`);
process.exit(0);

// One attack in a separate process, so that neither it nor the server of its pages delays the neighbour's client. The argument is
// JSON. It runs until stdin ends, then prints how often it attacked.
import { attacks } from '#lab/prove/neighbours/attacks.ts';
import { hostileRoutes } from '#lab/prove/neighbours/page-attacks.ts';
import { processorOnly } from '#lab/prove/neighbours/processor-only.ts';
import { attackerHosts, type Target } from '#lab/prove/neighbours/target.ts';
import { startPageServer } from '#test/support/page-server.ts';

const { name, target } = JSON.parse(process.argv[2] ?? '{}') as { name: string; target: Target };
const attack = [processorOnly, ...attacks].find((candidate) => candidate.name === name);
if (!attack) throw new Error(`there is no attack "${name}"`);
const [address, ...others] = attackerHosts;
const { base: pages, host } = await startPageServer(hostileRoutes, { address });
const port = Number(host.split(':')[1]);
await Promise.all(others.map((other) => startPageServer(hostileRoutes, { address: other, port })));
await attack.prepare?.();
let isOver = false;
process.stdin.on('end', () => (isOver = true)).resume();
process.stdout.write('begun\n');
const count = await attack.run({ ...target, pages }, () => isOver);
process.stdout.write(`${JSON.stringify({ count })}\n`);
process.exit(0);

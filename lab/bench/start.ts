// A warm start: from the command to the first 200 of /readyz, with everything installed and built and an existing database.
import { figure, type Figure } from '#lab/bench/figures.ts';
import { restingMb } from '#lab/bench/resting.ts';
import { freePort, serveUntilReady, temporaryFolder } from '#test/support/processes.ts';

const benchmark = 'start';
const rounds = 8;
const goalSeconds = 1.5;
const goalMb = 300;

/** The other side of these ratios is the goal itself. */
export async function benchStart(say: (line: string) => void): Promise<Figure[]> {
  const { path, remove } = await temporaryFolder();
  const commands = {
    'npm start': ['npm', 'start', '--silent'],
    'tintype serve': undefined,
  };
  const times = new Map<string, number[]>();
  let memory: number[] = [];
  try {
    for (let round = -1; round < rounds; round += 1) {
      for (const [name, command] of Object.entries(commands)) {
        const environment = { DATA_DIR: path, PORT: String(await freePort()), HOME: path };
        const startedAt = performance.now();
        const serving = await serveUntilReady(environment, command);
        const seconds = (performance.now() - startedAt) / 1_000;
        if (round === rounds - 1 && command === undefined) memory = await restingMb(serving.child.pid ?? 0);
        await serving.end();
        if (round >= 0) times.set(name, [...(times.get(name) ?? []), seconds]);
      }
      say(`round ${round + 2} of ${rounds + 1}`);
    }
  } finally {
    await remove();
  }
  const described = { benchmark, against: 'goal', goal: { atMost: 1 } };
  return [
    ...[...times].map(([subject, seconds]) =>
      figure({ ...described, subject: `${subject} until it is ready`, unit: 's' }, seconds, [goalSeconds]),
    ),
    figure({ ...described, subject: 'memory at rest, with the browser', unit: 'MB' }, memory, [goalMb]),
  ];
}

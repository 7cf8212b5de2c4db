// A warm start: from the command to the first answer and to the first 200 of /readyz, with everything installed and built and an existing
// database.
import { figure, type Figure } from '#lab/bench/figures.ts';
import { restingMb } from '#lab/bench/resting.ts';
import { freePort, spawnServe, temporaryFolder, type ServeProcess } from '#test/support/processes.ts';
import { waitFor } from '#test/support/wait-for.ts';

const benchmark = 'start';
const rounds = 8;
const readySeconds = 1.5;
const goalMb = 300;

/** The other side of these ratios is the goal itself. */
export async function benchStart(say: (line: string) => void): Promise<Figure[]> {
  const { path, remove } = await temporaryFolder();
  const commands = {
    'npm start': { command: ['npm', 'start', '--silent'], answerSeconds: 1.5 },
    'tintype serve': { command: undefined, answerSeconds: 1 },
  };
  const times = new Map<string, { seconds: number[]; goalSeconds: number }>();
  let memory: number[] = [];
  try {
    for (let round = -1; round < rounds; round += 1) {
      for (const [name, { command, answerSeconds }] of Object.entries(commands)) {
        const note = (until: string, startedAt: number, goalSeconds: number) => {
          const { seconds } = times.getOrInsertComputed(`${name} until ${until}`, () => ({
            seconds: [],
            goalSeconds,
          }));
          if (round >= 0) seconds.push((performance.now() - startedAt) / 1_000);
        };
        const environment = { DATA_DIR: path, PORT: String(await freePort()), HOME: path };
        const startedAt = performance.now();
        const serving = await spawnServe(environment, command);
        await answers(serving, '/healthz');
        note('its first answer', startedAt, answerSeconds);
        await answers(serving, '/readyz');
        note('it is ready', startedAt, readySeconds);
        if (round === rounds - 1 && command === undefined) memory = await restingMb(serving.child.pid ?? 0);
        await serving.end();
      }
      say(`round ${round + 2} of ${rounds + 1}`);
    }
  } finally {
    await remove();
  }
  const described = { benchmark, against: 'goal', goal: { atMost: 1 } };
  return [
    ...[...times].map(([subject, { seconds, goalSeconds }]) =>
      figure({ ...described, subject, unit: 's' }, seconds, [goalSeconds]),
    ),
    figure({ ...described, subject: 'memory at rest, with the browser', unit: 'MB' }, memory, [goalMb]),
  ];
}

const answers = ({ origin, child }: ServeProcess, path: string): Promise<void> =>
  waitFor(`${path} of the service`, async () => {
    if (child.exitCode !== null) throw new Error('it ended');
    return (await fetch(origin + path).catch(() => undefined))?.status === 200;
  });

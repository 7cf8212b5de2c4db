// The store of files: uploads and files of one service process on SQLite with the S3 test server, compared with the same on its own
// disk.
import { openLanes, requestBytes } from '#lab/bench/connection.ts';
import { figure, type Figure } from '#lab/bench/figures.ts';
import { pictureOf, uploadRequest } from '#lab/bench/forms.ts';
import { inTurn, runTurn } from '#lab/bench/measure.ts';
import { startMeasuredService, type MeasuredService } from '#lab/bench/service.ts';
import { cpuMs } from '#test/support/process-table.ts';
import { s3Credentials, startS3 } from '#test/support/s3.ts';
import { uploadOne } from '#test/support/uploading.ts';

const benchmark = 'store';
const lanes = 16;
const turns = 5;
const turn = { seconds: 2 };
const filesOfEachSize = 32;
const sizes = { '10 KB': 10 * 1024, '200 KB': 200 * 1024 };

type Name = 'disk' | 's3';

/** One value for each round of the measurement. */
interface Load {
  perSecond: number[];
  serviceMs: number[];
}

export async function benchStore(say: (line: string) => void): Promise<Figure[]> {
  await using cleanUp = new AsyncDisposableStack();
  const store = await startS3();
  cleanUp.defer(store.stop);
  const start = async (environment: Record<string, string>): Promise<MeasuredService> => {
    const service = await startMeasuredService(environment);
    cleanUp.defer(service.stop);
    return service;
  };
  const services: Record<Name, MeasuredService> = {
    disk: await start({}),
    s3: await start({ ...s3Credentials, STORAGE_URL: store.newStorageUrl() }),
  };
  const figures: Figure[] = [];
  for (const [size, bytes] of Object.entries(sizes)) {
    const picture = await pictureOf(bytes);
    const uploads = {} as Record<Name, Buffer[]>;
    const files = {} as Record<Name, Buffer[]>;
    for (const name of ['disk', 's3'] as const) {
      const { origin, key } = services[name];
      uploads[name] = [uploadRequest('/api/v1/upload', key, [picture])];
      files[name] = [];
      for (let file = 0; file < filesOfEachSize; file += 1) {
        const { fileAt } = await uploadOne(origin, key, { bytes: picture });
        files[name].push(requestBytes('GET', new URL(fileAt).pathname));
      }
    }
    say(size);
    figures.push(...figuresOf(`upload of ${size}`, await measure(services, uploads, 201)));
    figures.push(...figuresOf(`file of ${size}`, await measure(services, files, 200)));
  }
  return figures;
}

async function measure(
  services: Record<Name, MeasuredService>,
  requests: Record<Name, Buffer[]>,
  status: number,
): Promise<Record<Name, Load>> {
  const loads = {} as Record<Name, Load>;
  for (let round = -1; round < turns; round += 1) {
    for (const name of inTurn(services, round)) {
      const wires = await openLanes(services[name].origin, lanes, status);
      const asked = requests[name];
      let next = 0;
      const usedMs = cpuMs(services[name].pid);
      const { perSecond, latencyMs } = await runTurn(
        (lane) => wires.send(lane, asked[(next += 1) % asked.length] as Buffer),
        lanes,
        turn,
      );
      const serviceMs = cpuMs(services[name].pid) - usedMs;
      wires.close();
      const load = (loads[name] ??= { perSecond: [], serviceMs: [] });
      if (round < 0) continue;
      load.perSecond.push(perSecond);
      load.serviceMs.push(serviceMs / latencyMs.length);
    }
  }
  return loads;
}

function figuresOf(subject: string, { s3, disk }: Record<Name, Load>): Figure[] {
  const compared = (what: keyof Load, words: string): Figure =>
    figure(
      {
        benchmark,
        subject: `${subject}, ${words}, test server`,
        unit: what === 'perSecond' ? 'per second' : 'ms',
        against: 'disk',
      },
      s3[what],
      disk[what],
    );
  return [compared('perSecond', 'requests'), compared('serviceMs', 'CPU time of the service')];
}

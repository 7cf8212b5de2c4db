// The store of files: uploads and files of one service process on SQLite with an S3 store, compared with the same on its own disk.
// The stores are the test server and, where it is installed, Ceph's radosgw, which is made for production: its one OSD syncs every
// write to the disk.
import { openLanes, requestBytes } from '#lab/bench/connection.ts';
import { figure, type Figure } from '#lab/bench/figures.ts';
import { pictureOf, uploadRequest } from '#lab/bench/forms.ts';
import { inTurn, runTurn } from '#lab/bench/measure.ts';
import { startMeasuredService, type MeasuredService } from '#lab/bench/service.ts';
import { cpuMs, descendants } from '#lab/support/process-table.ts';
import { hasRadosgw, startRadosgw } from '#lab/support/radosgw.ts';
import { s3Credentials, startTestS3, type TestS3 } from '#lab/support/s3.ts';
import { uploadOne } from '#lab/support/uploading.ts';

const benchmark = 'store';
const lanes = 16;
const turns = 5;
const turn = { seconds: 2 };
const filesOfEachSize = 32;
const sizes = { '10 KB': 10 * 1024, '200 KB': 200 * 1024 };

const stores = {
  disk: { title: 'disk', start: undefined, processes: undefined },
  test: { title: 'test server', start: startTestS3, processes: /s3-server\.ts/ },
  radosgw: { title: 'radosgw', start: startRadosgw, processes: /^(radosgw|ceph-)/ },
};
type Name = keyof typeof stores;

/** One value for each round of the measurement. */
interface Load {
  perSecond: number[];
  serviceMs: number[];
  storeMs: number[];
}

export async function benchStore(say: (line: string) => void): Promise<Figure[]> {
  const names = (Object.keys(stores) as Name[]).filter((name) => name !== 'radosgw' || hasRadosgw());
  if (!names.includes('radosgw')) say('radosgw is not installed on this machine, and left out');
  await using cleanUp = new AsyncDisposableStack();
  const services = {} as Record<Name, MeasuredService>;
  for (const name of names) {
    const store: TestS3 | undefined = await stores[name].start?.();
    if (store) cleanUp.defer(store.stop);
    const environment = store ? { ...s3Credentials, STORAGE_URL: store.newStorageUrl() } : {};
    services[name] = await startMeasuredService(environment);
    cleanUp.defer(services[name].stop);
  }
  const figures: Figure[] = [];
  for (const [size, bytes] of Object.entries(sizes)) {
    const picture = await pictureOf(bytes);
    const uploads = {} as Record<Name, Buffer[]>;
    const files = {} as Record<Name, Buffer[]>;
    for (const name of names) {
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
      const before = usedMs(name, services[name]);
      const { perSecond, latencyMs } = await runTurn(
        (lane) => wires.send(lane, asked[(next += 1) % asked.length] as Buffer),
        lanes,
        turn,
      );
      const after = usedMs(name, services[name]);
      wires.close();
      const load = (loads[name] ??= { perSecond: [], serviceMs: [], storeMs: [] });
      if (round < 0) continue;
      load.perSecond.push(perSecond);
      load.serviceMs.push((after.service - before.service) / latencyMs.length);
      load.storeMs.push((after.store - before.store) / latencyMs.length);
    }
  }
  return loads;
}

/** CPU time that the service, and all processes of its store, have used so far. */
function usedMs(name: Name, { pid }: MeasuredService): { service: number; store: number } {
  const { processes } = stores[name];
  const rows = processes ? descendants().filter(({ command }) => processes.test(command)) : [];
  return { service: cpuMs(pid), store: rows.reduce((sum, row) => sum + cpuMs(row.pid), 0) };
}

function figuresOf(subject: string, loads: Record<Name, Load>): Figure[] {
  const compared = (ours: Name, against: Name, what: keyof Load, words: string): Figure =>
    figure(
      {
        benchmark,
        subject: `${subject}, ${words}, ${stores[ours].title}`,
        unit: what === 'perSecond' ? 'per second' : 'ms',
        against: stores[against].title,
      },
      loads[ours][what],
      loads[against][what],
    );
  const onS3 = (Object.keys(loads) as Name[]).filter((name) => name !== 'disk');
  return [
    ...onS3.flatMap((name) => [
      compared(name, 'disk', 'perSecond', 'requests'),
      compared(name, 'disk', 'serviceMs', 'CPU time of the service'),
    ]),
    ...(onS3.includes('radosgw') ? [compared('radosgw', 'test', 'storeMs', 'CPU time of the store')] : []),
  ];
}

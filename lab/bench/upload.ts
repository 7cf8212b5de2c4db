// Uploads: the whole service compared with the floor, which only makes the bytes and one row durable, and with what a user would
// choose instead, which makes nothing durable. COMPARE_WITH=folder also measures the service of another checkout, for before and after.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openLanes } from '#lab/bench/connection.ts';
import { figure, type Figure } from '#lab/bench/figures.ts';
import { pictureOf, uploadRequest } from '#lab/bench/forms.ts';
import { alternateLoad, type Load, type Turn, type Work } from '#lab/bench/measure.ts';
import { startPeer } from '#lab/bench/peers.ts';
import { peakMemoryMb, startMeasuredService } from '#lab/bench/service.ts';
import { cpuMs } from '#test/support/process-table.ts';
import { temporaryFolder } from '#test/support/processes.ts';

const benchmark = 'upload';
const lanes = 16;
const kilobyte = 1024;

interface Size {
  name: string;
  bytes: number;
  files: number;
  turns: number;
  turn: Turn;
  goal?: { atLeast: number };
}

const sizes: Size[] = [
  {
    name: '10 KB',
    bytes: 10 * kilobyte,
    files: 1,
    turns: 6,
    turn: { seconds: 1.5 },
    goal: { atLeast: 0.75 },
  },
  {
    name: '200 KB',
    bytes: 200 * kilobyte,
    files: 1,
    turns: 10,
    turn: { seconds: 1.5 },
    goal: { atLeast: 0.8 },
  },
  { name: '5 MB', bytes: 5 * kilobyte * kilobyte, files: 1, turns: 5, turn: { pieces: 48 } },
  {
    name: 'ten of 10 KB',
    bytes: 10 * kilobyte,
    files: 10,
    turns: 6,
    turn: { seconds: 1.5 },
    goal: { atLeast: 0.8 },
  },
];

const peers = {
  floor: { file: 'upload-floor.js', title: 'floor', isDurable: true },
  multer: { file: 'upload-multer.js', title: 'multer on Express', isDurable: false },
};
type PeerName = keyof typeof peers;
type Name = 'service' | 'before' | PeerName;
const titleOf = (name: Exclude<Name, 'service'>): string => (name === 'before' ? name : peers[name].title);

export async function benchUploads(say: (line: string) => void): Promise<Figure[]> {
  const { path, remove } = await temporaryFolder();
  const service = await startMeasuredService();
  const { COMPARE_WITH: checkout } = process.env;
  const before = checkout === undefined ? undefined : await startMeasuredService({}, { checkout });
  const services = { service, ...(before && { before }) };
  const started = await Promise.all(
    (Object.keys(peers) as PeerName[]).map(async (name) => {
      const folder = join(path, name);
      return { name, folder, ...(await startPeer(peers[name].file, folder)) };
    }),
  );
  /** Data that was never synced would be written to the disk during another contender's turn. */
  const dropUnsynced = async (name: Name): Promise<void> => {
    if (name === 'service' || name === 'before' || peers[name].isDurable) return;
    for (const file of await readdir(join(path, name))) await rm(join(path, name, file));
  };
  try {
    const figures: Figure[] = [];
    for (const size of sizes) {
      say(size.name);
      const pictures = Array.from({ length: size.files }, () => size.bytes);
      const files = await Promise.all(pictures.map(pictureOf));
      const apiPath = size.files > 1 ? '/api/v1/upload/batch' : '/api/v1/upload';
      const served = [
        ...Object.entries(services).map(([name, { origin, key }]) => ({
          name,
          origin,
          request: uploadRequest(apiPath, key, files),
        })),
        ...started.map(({ name, origin }) => ({
          name,
          origin,
          request: uploadRequest('/upload', '', files),
        })),
      ];
      const open = await Promise.all(
        served.map(async ({ name, origin, request }) => {
          const wires = await openLanes(origin, lanes, 201);
          const work: Work = (lane) => wires.send(lane, request);
          return { name, work, close: wires.close };
        }),
      );
      const contenders = Object.fromEntries(open.map(({ name, work }) => [name, work])) as Record<Name, Work>;
      const pids = new Map<string, number>([
        ...Object.entries(services).map(([name, { pid }]) => [name, pid] as const),
        ...started.map(({ name, pid }) => [name, pid] as const),
      ]);
      const cpuMsOf = (name: Name): number => cpuMs(pids.get(name) ?? 0);
      const loads = await alternateLoad(contenders, { ...size, lanes, cpuMsOf, afterTurn: dropUnsynced });
      for (const { close } of open) close();
      figures.push(...figuresOf(size, loads));
    }
    for (const { name, pid } of started) {
      figures.push(
        figure(
          {
            benchmark,
            subject: 'memory at its peak',
            unit: 'MB',
            against: peers[name].title,
            ...(name === 'floor' && { goal: { atMost: 1.25 } }),
          },
          [peakMemoryMb(service.pid)],
          [peakMemoryMb(pid)],
        ),
      );
    }
    return figures;
  } finally {
    await Promise.all(started.map((peer) => peer.stop()));
    await service.stop();
    await before?.stop();
    await remove();
  }
}

function figuresOf({ name, goal }: Size, { service, ...others }: Record<Name, Load>): Figure[] {
  const described = { benchmark, unit: 'ms' } as const;
  return (Object.keys(others) as (keyof typeof others)[]).flatMap((other) => {
    const against = titleOf(other);
    const rate = figure(
      {
        benchmark,
        subject: `${name}, requests`,
        unit: 'per second',
        against,
        ...(other === 'floor' && goal && { goal }),
      },
      service.perSecond,
      others[other].perSecond,
    );
    if (other === 'multer') return [rate];
    const { cpuMs, latencyMs } = others[other];
    const latency = `${name}, latency at ${lanes} clients`;
    return [
      rate,
      figure(
        { ...described, against, subject: `${name}, processor time of a request` },
        service.cpuMs,
        cpuMs,
      ),
      figure({ ...described, against, subject: latency }, service.latencyMs, latencyMs),
      figure(
        { ...described, against, subject: `${name}, 99th percentile of it`, of: 'p99' },
        service.latencyMs,
        latencyMs,
      ),
    ];
  });
}

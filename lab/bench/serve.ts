// Serving files: /f/ of the service, which checks whether the link is still valid, compared with servers of plain folders.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openLanes, requestBytes } from '#lab/bench/connection.ts';
import { figure, type Figure } from '#lab/bench/figures.ts';
import { pictureOf } from '#lab/bench/forms.ts';
import { alternateLoad, type Work } from '#lab/bench/measure.ts';
import { startNginx } from '#lab/bench/nginx.ts';
import { startPeer } from '#lab/bench/peers.ts';
import { startMeasuredService } from '#lab/bench/service.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { uploadOne } from '#test/support/uploading.ts';

const benchmark = 'serve';
const lanes = 16;
const turns = 6;
const turn = { seconds: 1.5 };
/** Requested in rotation, because no real server sends only one file. */
const filesOfEachSize = 32;
const sizes = { '10 KB': 10 * 1024, '200 KB': 200 * 1024 };

type Name = 'service' | 'express' | 'nginx';
const titles = { express: 'express.static', nginx: 'nginx' };

export async function benchServing(say: (line: string) => void): Promise<Figure[]> {
  const { path: folder, remove } = await temporaryFolder();
  const { path: nginxHome, remove: removeNginxHome } = await temporaryFolder();
  const service = await startMeasuredService();
  const paths = new Map<string, { service: string[]; folder: string[] }>();
  for (const [size, bytes] of Object.entries(sizes)) {
    const picture = await pictureOf(bytes);
    const uploads = await Promise.all(
      Array.from({ length: filesOfEachSize }, () =>
        uploadOne(service.origin, service.key, { bytes: picture }),
      ),
    );
    const names = uploads.map((_, index) => `${bytes}-${index}.png`);
    await Promise.all(names.map((name) => writeFile(join(folder, name), picture)));
    paths.set(size, {
      service: uploads.map(({ fileAt }) => new URL(fileAt).pathname),
      folder: names.map((name) => `/${name}`),
    });
  }
  const nginx = await startNginx(folder, nginxHome);
  if (!nginx) say('nginx is not installed on this machine, and left out');
  const peers = {
    express: await startPeer('serve-express.js', folder),
    ...(nginx && { nginx }),
  };
  try {
    const figures: Figure[] = [];
    for (const [size, { service: ours, folder: theirs }] of paths) {
      say(size);
      const open = await Promise.all(
        Object.entries({ service, ...peers }).map(async ([name, { origin }]) => {
          const wires = await openLanes(origin, lanes, 200);
          const requests = (name === 'service' ? ours : theirs).map((path) => requestBytes('GET', path));
          let next = 0;
          const work: Work = (lane) =>
            wires.send(lane, requests[(next += 1) % requests.length] ?? Buffer.alloc(0));
          return { name, work, close: wires.close };
        }),
      );
      const contenders = Object.fromEntries(open.map(({ name, work }) => [name, work])) as Record<Name, Work>;
      const loads = await alternateLoad(contenders, { lanes, turns, turn });
      for (const { close } of open) close();
      for (const name of Object.keys(peers) as (keyof typeof peers)[]) {
        const hasGoal = size === '200 KB' && name === 'express';
        figures.push(
          figure(
            {
              benchmark,
              subject: `${size}, requests`,
              unit: 'per second',
              against: titles[name],
              ...(hasGoal && { goal: { atLeast: 1 } }),
            },
            loads.service.perSecond,
            loads[name].perSecond,
          ),
        );
      }
      figures.push(
        figure(
          { benchmark, subject: `${size}, latency at ${lanes} clients`, unit: 'ms', against: titles.express },
          loads.service.latencyMs,
          loads.express.latencyMs,
        ),
      );
    }
    return figures;
  } finally {
    await Promise.all(Object.values(peers).map((peer) => peer?.stop()));
    await service.stop();
    await remove();
    await removeNginxHome();
  }
}

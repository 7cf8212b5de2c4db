// Why a render cannot cost as little as the floor: the floor again, with what Tintype never renders without. A page can reach the
// web only through the proxy, and requests are counted, waited for and checked by the browser's events about them.
import { figure, type Figure } from '#lab/bench/figures.ts';
import { startFloor } from '#lab/bench/floor.ts';
import { alternateLoad, type Work } from '#lab/bench/measure.ts';
import { startService } from '#lab/bench/render-contenders.ts';
import { startSite, type PageName } from '#lab/bench/site.ts';
import { parseEgressAllow } from '#browser/egress/allow-list.ts';
import { createEgressRules } from '#browser/egress/rules.ts';

const benchmark = 'wall';
const pages: readonly PageName[] = ['trivial', 'article'];
const load = { lanes: 4, turns: 9, turn: { pieces: 16 } };

export async function benchWall(say: (line: string) => void): Promise<Figure[]> {
  const site = await startSite();
  const ours = await startService('screenshot', site.host);
  const rules = createEgressRules({ allow: parseEgressAllow(site.host) });
  const floors = {
    floor: await startFloor(),
    'floor that is told of requests': await startFloor({ isTold: true }),
    'floor behind the proxy': await startFloor({ rules }),
    'floor with both': await startFloor({ isTold: true, rules }),
  };
  try {
    const figures: Figure[] = [];
    for (const page of pages) {
      say(page);
      const url = site.urlOf(page);
      const works: Record<string, Work> = { Tintype: () => ours.render(url) };
      for (const [name, floor] of Object.entries(floors)) works[name] = () => floor.render(url, 'screenshot');
      const loads = await alternateLoad(works, load);
      for (const against of Object.keys(floors)) {
        const subject = `${page}, throughput at ${load.lanes} at a time`;
        figures.push(
          figure(
            { benchmark, subject, unit: 'per second', against },
            loads['Tintype']?.perSecond ?? [],
            loads[against]?.perSecond ?? [],
          ),
        );
      }
    }
    return figures;
  } finally {
    for (const floor of Object.values(floors)) floor.close();
    await ours.stop();
    site.close();
  }
}

// How much memory renders use, including the browser, and how long it takes from the start of the process to the first picture.
import { readFileSync } from 'node:fs';
import { figure, type Benchmark, type Figure } from '#lab/bench/figures.ts';
import { runTurn, summarise } from '#lab/bench/measure.ts';
import { peerNames, startRenderPeer, startService, type Renderer } from '#lab/bench/render-contenders.ts';
import { startSite } from '#lab/bench/site.ts';
import { descendants } from '#test/support/process-table.ts';

const benchmark = 'memory';
const lanes = 4;
const fewRenders = 100;
const manyRenders = 1_000;
const starts = 3;
const settleMs = 3_000;
const sampleMs = 250;

export const benchMemory: Benchmark = async (say) => {
  const site = await startSite();
  const url = site.urlOf('trivial');
  try {
    const figures: Figure[] = [];
    say('Tintype');
    const ours = await measure(() => startService('screenshot', site.host), url, manyRenders);
    for (const peer of peerNames) {
      say(peer);
      const start = async (): Promise<Renderer> => (await startRenderPeer(peer, 'screenshot')).load;
      const theirs = await measure(start, url, fewRenders);
      const against = (subject: string, unit: Figure['unit']) => ({
        benchmark,
        subject,
        unit,
        against: peer,
      });
      figures.push(
        figure(against('from process start to first render', 's'), ours.firstRender, theirs.firstRender),
        figure(against('at rest, after the first render', 'MB'), ours.atRest, theirs.atRest),
        figure(against(`under load, ${lanes} at a time`, 'MB'), ours.underLoad, theirs.underLoad),
      );
    }
    figures.push(
      figure(
        {
          benchmark,
          subject: `after ${manyRenders.toLocaleString('en')} renders`,
          unit: 'MB',
          against: `after ${fewRenders}`,
          goal: { atMost: 1.1 },
        },
        ours.afterMany,
        ours.afterFew,
      ),
    );
    return figures;
  } finally {
    site.close();
  }
};

interface Measured {
  firstRender: number[];
  atRest: number[];
  underLoad: number[];
  afterFew: number[];
  afterMany: number[];
}

async function measure(start: () => Promise<Renderer>, url: string, renders: number): Promise<Measured> {
  const firstRender: number[] = [];
  for (let time = 1; ; time += 1) {
    const startedAt = performance.now();
    const renderer = await start();
    await renderer.render(url);
    firstRender.push((performance.now() - startedAt) / 1_000);
    if (time < starts) {
      await renderer.stop();
      continue;
    }
    try {
      const atRest = await restingMb(renderer.pid);
      const underLoad: number[] = [];
      const sampler = setInterval(() => underLoad.push(treeMb(renderer.pid)), sampleMs);
      await runTurn(() => renderer.render(url), lanes, { pieces: fewRenders });
      clearInterval(sampler);
      const afterFew = await restingMb(renderer.pid);
      await runTurn(() => renderer.render(url), lanes, { pieces: renders - fewRenders });
      const afterMany = await restingMb(renderer.pid);
      return { firstRender, atRest, underLoad, afterFew, afterMany };
    } finally {
      await renderer.stop();
    }
  }
}

/** Ten samples of a process that has been idle for a while. */
export async function restingMb(pid: number): Promise<number[]> {
  await pause(settleMs);
  const looks: number[] = [];
  for (let look = 0; look < 10; look += 1) {
    looks.push(treeMb(pid));
    await pause(sampleMs);
  }
  return [summarise(looks).median];
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The process and its children; shared memory is counted once. */
function treeMb(pid: number): number {
  const pids = [pid, ...descendants(pid).map((child) => child.pid)];
  return pids.reduce((sum, id) => sum + proportionalKb(id), 0) / 1024;
}

function proportionalKb(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1] ?? 0);
  } catch {
    // It ended meanwhile.
    return 0;
  }
}

// Every parser of untrusted input, and every list that clients, pages and servers make longer, at its largest input, at half and at
// a quarter of it: how long it blocks the event loop, and that four times the input takes about four times the time. Measured in CPU
// time, the best of several rounds, so that a busy machine does not change the verdict.
import { headCases, type HeadCase } from '#lab/prove/parsers/heads.ts';
import { measureLargeRequests } from '#lab/prove/parsers/large-requests.ts';
import { listCases } from '#lab/prove/parsers/lists.ts';
import { textCases, type TextCase } from '#lab/prove/parsers/texts.ts';
import type { Finding, Proof, Size } from '#lab/prove/proof.ts';
import * as images from '#test/support/images.ts';
import { rawBytes } from '#test/support/raw-request.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { uploadOne } from '#test/support/uploading.ts';

/** So many that one has no garbage collection in it. */
const rounds: Record<Size, number> = { short: 5, long: 12 };
/** Texts of megabytes are shorter in the short form. */
const share: Record<Size, number> = { short: 0.1, long: 1 };
/** Requests in one measurement, so that it is longer than the resolution of the CPU clock. */
const requestsEach = 10;
/** A parser that blocks the event loop for longer than this at its largest input makes others wait. */
const mostHeldMs = 50;
/** From a quarter to the whole: 4 is linear, 16 is quadratic; the rest is for garbage collection and compilation. */
const mostGrowth = 8;
/** Below this, growth cannot be distinguished from the cost of the request around it. */
const noiseMs: Record<Size, number> = { short: 6, long: 2 };

interface Measured {
  name: string;
  /** With its unit. */
  largest: string;
  quarterMs: number;
  halfMs: number;
  wholeMs: number;
  isInWorker: boolean;
  /** A list that grows over many turns of the event loop. */
  isList: boolean;
}

export const parsersProof: Proof = {
  name: 'parsers',
  title: 'Parsers: four times the input takes about four times the time',
  async run(size, say) {
    const service = await startService({ LOG_LEVEL: 'silent', TRUST_PROXY: 'true' });
    try {
      const { key } = await service.newKey();
      const { slug } = await uploadOne(service.origin, key, { bytes: await images.png() });
      const findings: Finding[] = [];
      for (const given of headCases)
        findings.push(findingOf(await measureHead(service, given, key, slug, size), size));
      say(`${findings.length} kinds of requests measured`);
      for (const given of [...textCases, ...listCases])
        findings.push(findingOf(measureText(given, size), size));
      findings.push(...(await measureLargeRequests(size)));
      return findings;
    } finally {
      await service.stop();
    }
  },
};

function findingOf({ name, largest, isInWorker, isList, ...took }: Measured, size: Size): Finding {
  const { quarterMs, halfMs, wholeMs } = took;
  const growth = wholeMs / Math.max(quarterMs, 0.001);
  const isLinear = growth <= mostGrowth || wholeMs <= noiseMs[size];
  const isShort = isInWorker || isList || size === 'short' || wholeMs <= mostHeldMs;
  return {
    what: `${name}, ${largest}`,
    seen: `${wholeMs.toFixed(2)} ms, half of it ${halfMs.toFixed(2)} ms, a quarter ${quarterMs.toFixed(2)} ms${isInWorker ? ' (in a worker)' : ''}`,
    holds: isLinear && isShort,
  };
}

async function measureHead(
  { origin, clock }: TestService,
  { name, largest, request }: HeadCase,
  key: string,
  slug: string,
  size: Size,
): Promise<Measured> {
  const send = async (bytes: number): Promise<void> => {
    const text = request(bytes, key).replace('SLUG', slug);
    for (let sent = 0; sent < requestsEach; sent += 1) {
      // Refusals have a separate budget per address.
      await clock.advance(1_000);
      await rawBytes(origin, Buffer.from(text, 'latin1'), { isCut: true });
    }
  };
  await send(largest);
  const best = async (bytes: number): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < rounds[size]; round += 1) {
      const before = process.cpuUsage();
      await send(bytes);
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1000 / requestsEach);
    }
    return Math.min(...times);
  };
  return {
    name,
    largest: shownBytes(largest),
    quarterMs: await best(largest / 4),
    halfMs: await best(largest / 2),
    wholeMs: await best(largest),
    isInWorker: false,
    isList: false,
  };
}

function measureText({ name, largest, unit, isInWorker = false, parse }: TextCase, size: Size): Measured {
  const bytes = largest > 100_000 ? largest * share[size] : largest;
  const once = (given: number): number => {
    const before = process.cpuUsage();
    try {
      parse(given);
    } catch {
      // Refused; the time is what counts.
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const best = (given: number): number =>
    Math.min(...Array.from({ length: rounds[size] }, () => once(given)));
  once(bytes);
  return {
    name,
    largest: unit === undefined ? shownBytes(bytes) : `${bytes.toLocaleString('en')} ${unit}`,
    quarterMs: best(bytes / 4),
    halfMs: best(bytes / 2),
    wholeMs: best(bytes),
    isInWorker,
    isList: unit !== undefined,
  };
}

const shownBytes = (bytes: number): string =>
  bytes >= 1_000_000 ? `${bytes / 1_000_000} MB` : `${bytes / 1_000} KB`;

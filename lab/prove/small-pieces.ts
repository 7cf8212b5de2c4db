// Clients send bodies, heads, requests and TLS records in pieces of a few bytes, while another account uploads. Measured are the
// longest time for which the service's event loop works without a turn for others, and the median upload of the other account.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { pausesSocket, takePauses, watchPauses, type Pauses } from '#lab/prove/pauses.ts';
import type { Finding, Proof, Size } from '#lab/prove/proof.ts';
import { median } from '#lab/prove/renderer.ts';
import { smallPieces, type SmallPieces } from '#lab/prove/small-pieces/attacks.ts';
import * as images from '#test/support/images.ts';
import { program, temporaryFolder } from '#test/support/processes.ts';
import { endless, startProduct, type Product } from '#test/support/product.ts';
import { uploadOne } from '#test/support/uploading.ts';

const most = { workMs: 50, median: 1.5 };
const attackMs: Record<Size, number> = { short: 500, long: 8_000 };
/** Leaves a busy attacker a tenth of what the service gets: it has a machine of its own elsewhere. */
const attackerNiceness = 10;
const lowestPriority = 19;

export const smallPiecesProof: Proof = {
  name: 'small-pieces',
  title: 'Bytes in small pieces: what they cost the event loop, and others',
  async run(size, say) {
    const folder = await temporaryFolder();
    const certificate = makeCertificate(folder.path);
    const stages = { plain: await startStage(folder.path, 'plain', {}), tls: undefined as Stage | undefined };
    try {
      if (certificate) {
        setDefaultCACertificates([
          ...getCACertificates('default'),
          await readFile(certificate.TLS_CERT_FILE, 'utf8'),
        ]);
        stages.tls = await startStage(folder.path, 'tls', certificate);
      }
      const findings: Finding[] = [];
      for (const [index, attack] of smallPieces.entries()) {
        const stage = attack.isTls ? stages.tls : stages.plain;
        if (!stage) continue;
        const finding = await prove(attack, index, stage, size);
        say(`${finding.holds ? '✔' : '✘'} ${finding.what}: ${finding.seen}`);
        findings.push(finding);
      }
      return findings;
    } finally {
      await stages.plain.product.stop();
      await stages.tls?.product.stop();
      await folder.remove();
    }
  },
};

interface Stage {
  product: Product;
  neighbour: string;
  attacker: string;
  picture: Buffer;
  /** The longest times without a turn since the last call. */
  pauses: () => Promise<Pauses>;
}

async function startStage(folder: string, name: string, environment: Record<string, string>): Promise<Stage> {
  const socket = join(folder, `${name}.sock`);
  const product = await startProduct({
    environment: { ...environment, [pausesSocket]: socket },
    command: [process.execPath, ...watchPauses, program, 'serve'],
  });
  return {
    product,
    neighbour: await product.newKey(endless),
    attacker: await product.newKey(endless),
    picture: await images.png(8, 8),
    pauses: () => takePauses(socket),
  };
}

/** Without openssl there is no attack over TLS. */
function makeCertificate(path: string): { TLS_CERT_FILE: string; TLS_KEY_FILE: string } | undefined {
  const [cert, key] = [join(path, 'cert.pem'), join(path, 'key.pem')];
  const command =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1';
  const { status } = spawnSync('openssl', [...command.split(' '), '-keyout', key, '-out', cert]);
  return status === 0 ? { TLS_CERT_FILE: cert, TLS_KEY_FILE: key } : undefined;
}

/** A shared machine may be slow at the wrong moment: what is too slow is measured again, and must be too slow twice. */
async function prove(attack: SmallPieces, index: number, stage: Stage, size: Size): Promise<Finding> {
  let measured = await measure(index, stage, size);
  if (!measured.isNear && measured.isSound && size === 'long') measured = await measure(index, stage, size);
  const { name, connections, bytesPerSecond } = attack;
  const pace = bytesPerSecond === undefined ? '' : `, ${bytesPerSecond / 1_000_000} MB/s`;
  return {
    what: `${name}; ${connections} connections${pace}`,
    seen: measured.seen,
    holds: measured.isSound && (measured.isNear || size === 'short'),
  };
}

async function measure(index: number, stage: Stage, size: Size) {
  const ms = attackMs[size];
  const alone = await visit(stage, ms / 4);
  const quiet = await stage.pauses();
  const stop = await begin(index, stage);
  const beside = await visit(stage, ms);
  const busy = await stage.pauses();
  const sent = await stop();
  // The attacker has gone; what it sent may still be in the system's buffers.
  const after = await visit(stage, 500);
  const left = await stage.pauses();
  alone.push(...(await visit(stage, ms / 4)));
  const [usual, during] = [median(alone), median(beside)];
  return {
    isSound: sent.connections > 0,
    isNear: Math.max(busy.workMs, left.workMs) <= most.workMs && during <= usual * most.median,
    seen: [
      `${sent.connections} connections opened, ${(sent.bytes / 1_000_000).toFixed(1)} MB sent`,
      `longest work ${round(quiet.workMs)} → ${round(busy.workMs)} ms (pause ${round(quiet.pauseMs)} → ${round(busy.pauseMs)}), ${round(100 * busy.share)} % of a core`,
      `upload ${usual.toFixed(1)} → ${during.toFixed(1)} ms (${(during / usual).toFixed(2)} times, ${beside.length} uploads, max ${round(Math.max(...beside))})`,
      `when it had gone: longest work ${round(left.workMs)} ms, first upload ${round(after[0] ?? Number.NaN)} ms`,
    ].join('; '),
  };
}

const round = Math.round;

/** Uploads one after the other; returns how long each took. */
async function visit({ product, neighbour, picture }: Stage, ms: number): Promise<number[]> {
  const times: number[] = [];
  const endsAt = performance.now() + ms;
  do {
    const startedAt = performance.now();
    await uploadOne(product.serving.origin, neighbour, { bytes: picture });
    times.push(performance.now() - startedAt);
  } while (performance.now() < endsAt);
  return times;
}

/** Resolves once the attack is under way, to a function that ends it and returns what it sent. */
async function begin(index: number, { product, attacker }: Stage) {
  const script = join(import.meta.dirname, 'small-pieces', 'attacker.ts');
  const argument = JSON.stringify({ index, port: product.port, key: attacker });
  const child = spawn(process.execPath, [script, argument], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(child.stdout, 'data');
  setPriority(child.pid ?? 0, Math.min(lowestPriority, getPriority() + attackerNiceness));
  await delay(300);
  return async () => {
    child.stdin.end();
    const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
    await ended;
    clearTimeout(timer);
    const line = output.split('\n')[1] ?? '';
    return { connections: 0, bytes: 0, ...(line === '' ? {} : (JSON.parse(line) as object)) };
  };
}

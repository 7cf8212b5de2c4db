import { openLanes } from '#bench/connection.ts';
import { pictureOf, uploadRequest } from '#bench/forms.ts';
import { runTurn } from '#bench/measure.ts';
import { startPeer } from '#bench/peers.ts';
import { startMeasuredService } from '#bench/service.ts';
setTimeout(() => {
  console.log('timeout');
  process.exit(1);
}, 25000).unref();
const files = [await pictureOf(10240)];
for (const f of ['upload-floor.js', 'upload-multer.js', 'upload-fastify.js']) {
  const p = await startPeer(f, '/tmp/bio-x/' + f);
  const w = await openLanes(p.origin, 16, 201);
  const r = uploadRequest('/upload', '', files);
  console.log(f);
  const t = await runTurn((l) => w.send(l, r), 16, { seconds: 1 });
  console.log(t.perSecond);
  w.close();
  await p.stop();
}
const s = await startMeasuredService();
const w = await openLanes(s.origin, 16, 201);
const r = uploadRequest('/api/v1/upload', s.key, files);
const t = await runTurn((l) => w.send(l, r), 16, { seconds: 1 });
console.log(t.perSecond);
w.close();
await s.stop();

// The service that is attacked, as the operator runs it, and accounts there.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { builtInPlans, type Plan } from '#accounts/plans.ts';
import { readConfig } from '#roof/config.ts';
import { openAccounts } from '#roof/service.ts';
import { pausesSocket, takePauses, watchPauses, type Pauses } from '#lab/prove/pauses.ts';
import type { Account, Target } from '#lab/prove/neighbours/target.ts';
import { program, serveUntilReady, temporaryFolder } from '#test/support/processes.ts';
import { uploadOne } from '#test/support/uploading.ts';

export interface Stage {
  /** Of the service's process. */
  pid: number;
  takePauses(): Promise<Pauses>;
  /** A new account, with a session and an upload. */
  targetFor(email: string, pages: string): Promise<Target>;
  stop(): Promise<void>;
}

const baseUrl = 'http://tintype.test';
/** The strongest plan that comes with the product, with a quota that is large enough. */
const plan: Plan = {
  ...(builtInPlans.at(-1) as Plan),
  id: 'neighbour',
  uploads_per_month: 1_000_000_000,
  renders_per_month: 1_000_000_000,
};

export async function startStage(allowed: string[]): Promise<Stage> {
  const { path, remove } = await temporaryFolder();
  const plansFile = join(path, 'plans.json');
  const socket = join(path, 'pauses.sock');
  await writeFile(plansFile, JSON.stringify({ plans: [plan] }));
  const environment = { DATA_DIR: path, PLANS_FILE: plansFile, BASE_URL: baseUrl, LOG_LEVEL: 'error' };
  const { accounts, welcomeLink, close } = await openAccounts(readConfig(environment));
  const serving = await serveUntilReady(
    { ...environment, EGRESS_ALLOW: allowed.join(','), [pausesSocket]: socket },
    [process.execPath, ...watchPauses, program, 'serve'],
  );
  const picture = await largePicture();
  const { origin } = serving;
  return {
    pid: serving.child.pid ?? 0,
    takePauses: () => takePauses(socket),
    async targetFor(email, pages) {
      await accounts.create(email, { plan: plan.id });
      const { key } = await accounts.createKey(email, 'proof');
      const account: Account = { key, cookie: await signIn(origin, await welcomeLink(email)) };
      const { slug, id } = await uploadOne(origin, key, { bytes: picture });
      return { origin, baseUrl, account, big: { slug, id }, pages };
    },
    async stop() {
      await close();
      await serving.end('SIGKILL');
      await remove();
    },
  };
}

async function signIn(origin: string, link: string): Promise<string> {
  const answer = await fetch(`${origin}/api/dashboard/welcome`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: baseUrl },
    body: JSON.stringify({ token: new URL(link).searchParams.get('token') }),
  });
  if (!answer.ok) throw new Error(`no session: ${answer.status} ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ');
}

/** 9 MB that do not compress, with many pixels to scale down. */
const largePicture = (): Promise<Buffer> =>
  sharp({
    create: {
      width: 2_000,
      height: 1_500,
      channels: 3,
      background: 'white',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .png({ compressionLevel: 0 })
    .toBuffer();

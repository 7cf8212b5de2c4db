// Proof: Chromium runs in its own sandbox, as an unprivileged user, without any secret of the service, also where it decodes strangers'
// pictures; and if it cannot, the start says so.
import { readFileSync } from 'node:fs';
import type { Finding, Proof } from '#lab/prove/proof.ts';
import { type Renderer, startRenderer } from '#lab/prove/renderer.ts';
import { png } from '#test/support/images.ts';
import { startPageServer } from '#test/support/page-server.ts';
import {
  browsers,
  groupMembers,
  namespaceOf,
  type ProcessRow,
  statusOf,
} from '#test/support/process-table.ts';
import { uploadOne } from '#test/support/uploading.ts';
import { sandboxlessChromium } from '#test/support/wrapped-chromium.ts';

const secret = 'a-secret-of-the-service';
const known =
  /^(PATH|HOME|TMPDIR|XDG_CACHE_HOME|XDG_CONFIG_HOME|FONTCONFIG_FILE|LANG|TZ|LD_LIBRARY_PATH|PWD|SBX_\w+)$/;

export const sandboxProof: Proof = {
  name: 'sandbox',
  title: 'The sandbox of the browser',
  async run() {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const site = await startPageServer({
      '/held': (_, response) => {
        asked.resolve();
        void answer.promise.then(() => response.end());
      },
      '/page': '<!doctype html><p>a page at work<img src="/held">',
    });
    const renderer = await startRenderer({
      allow: [site.host],
      environment: { AWS_SECRET_ACCESS_KEY: secret, SMTP_URL: `smtp://user:${secret}@127.0.0.1:1` },
    });
    try {
      // The page that has decoded it stays for the account's next picture.
      const { fileAt } = await uploadOne(renderer.origin, renderer.accounts[0]!.key, {
        bytes: await png(64, 64),
      });
      const variant = await fetch(`${fileAt}?width=32&format=webp`);
      if (variant.status !== 200) throw new Error(`a variant is answered with ${variant.status}`);
      const render = renderer.shoot(`${site.base}/page`);
      await asked.promise;
      const findings = inspect(renderer);
      answer.resolve();
      await render;
      return [...findings, await startWithoutSandbox()];
    } finally {
      await renderer.stop();
      await site.close();
    }
  },
};

function inspect({ pid, logLines }: Renderer): Finding[] {
  const processes = browsers(pid).flatMap(({ group }) => groupMembers(group));
  const renderers = processes.filter(({ command }) => command.includes('--type=renderer'));
  const isRoot = uidOf(pid) === '0';
  const users = [...new Set(processes.map((row) => uidOf(row.pid)))];
  const capable = processes.filter((row) => !/^CapEff:\t0+$/m.test(statusOf(row.pid)));
  const filtered = renderers.filter((row) => /^Seccomp:\t2$/m.test(statusOf(row.pid)));
  const apart = (kind: string) =>
    renderers.filter((row) => namespaceOf(row.pid, kind) !== namespaceOf(pid, kind)).length;
  const namespaces = ['user', 'pid', 'net'].map((kind) => ({ kind, apart: apart(kind) }));
  const environments = processes.map((row) => readFileSync(`/proc/${row.pid}/environ`, 'latin1'));
  // Its children overwrite their titles: in theirs only the secret is searched for.
  const names = browsers(pid).flatMap((row) =>
    readFileSync(`/proc/${row.pid}/environ`, 'latin1').split('\0'),
  );
  const strange = names
    .filter(Boolean)
    .map((entry) => entry.split('=')[0]!)
    .filter((name) => !known.test(name));
  const telling = processes.filter(({ command }, index) =>
    `${command} ${environments[index]}`.includes(secret),
  );
  const ready = logLines().find(({ msg }) => msg === 'the browser is ready');
  return [
    {
      what: 'every process of the browser runs as a user without rights',
      seen: `${processes.length} processes, user ids ${users.join(', ')} (the service: ${uidOf(pid)}), ${capable.filter(isOutsideOwnNamespace(pid)).length} with any capability outside a namespace of its own`,
      holds:
        processes.length > 3 &&
        capable.filter(isOutsideOwnNamespace(pid)).length === 0 &&
        (isRoot ? !users.includes('0') : users.length > 0),
    },
    {
      what: 'page processes, among them the one that decodes pictures, are behind a filter of system calls, and in namespaces of their own',
      seen: `${filtered.length} of ${renderers.length} with seccomp filters; ${namespaces.map(({ kind, apart: count }) => `${count} in another ${kind} namespace`).join(', ')}; the start says: sandboxed ${String(ready?.['sandboxed'])}`,
      holds:
        renderers.length > 0 &&
        filtered.length === renderers.length &&
        namespaces.every(({ apart: count }) => count === renderers.length) &&
        ready?.['sandboxed'] === true,
    },
    {
      what: "no secret of the service is in a browser process's environment or arguments",
      seen: `${telling.length} of ${processes.length} processes hold one; variables other than the ten that Chromium needs: ${[...new Set(strange)].join(', ') || 'none'}`,
      holds: telling.length === 0 && strange.length === 0,
    },
  ];
}

async function startWithoutSandbox(): Promise<Finding> {
  const chromium = await sandboxlessChromium();
  const renderer = await startRenderer({ allow: [], environment: { CHROMIUM_PATH: chromium.path } });
  try {
    const warning = renderer.logLines().find(({ msg }) => /WITHOUT ITS SANDBOX/.test(String(msg)));
    return {
      what: 'where the system does not allow a sandbox, the start says so and why',
      seen: warning
        ? `"${String(warning['msg']).split(':')[0]}" (${String(warning['problem'])})`
        : 'nothing was said',
      holds: /No usable sandbox/.test(String(warning?.['problem'])),
    };
  } finally {
    await renderer.stop();
    await chromium.remove();
  }
}

const uidOf = (pid: number): string => /^Uid:\t(\d+)/m.exec(statusOf(pid))?.[1] ?? '';

/** Inside a user namespace a process may hold capabilities that have no effect outside. */
function isOutsideOwnNamespace(servicePid: number): (row: ProcessRow) => boolean {
  return ({ pid }) => namespaceOf(pid, 'user') === namespaceOf(servicePid, 'user');
}

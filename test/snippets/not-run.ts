// The blocks that cannot be run in a test, each with its reason. A block is found by its document and a text in it.
import type { Block } from './blocks.ts';

const notRun: { document: string; text: string; reason: string }[] = [
  {
    document: 'README.md',
    text: 'npm start',
    reason: 'installs everything from the npm registry; test/snippets/clone.nightly.test.ts runs it',
  },
  {
    document: 'docs/quickstart.md',
    text: 'npm start',
    reason: 'the first block of README.md, which test/snippets/clone.nightly.test.ts runs',
  },
  {
    document: 'docs/self-hosting/systemd.md',
    text: 'systemctl daemon-reload',
    reason: 'changes users and services of the machine as root; test/systemd.test.ts checks the unit file',
  },
  {
    document: 'docs/self-hosting/systemd.md',
    text: 'systemd-run --pty',
    reason: 'needs the user that the block above makes',
  },
  {
    document: 'docs/self-hosting/requirements.md',
    text: 'browser renew',
    reason:
      'needs a newer browser somewhere; test/browser/renew-command.gate.test.ts runs it with sources of its own',
  },
  {
    document: 'docs/self-hosting/upgrade.md',
    text: 'git pull',
    reason: 'needs a newer version to pull, and a service to restart',
  },
  ...['compose', 'docker'].map((page) => ({
    document: `docs/self-hosting/${page}.md`,
    text: 'docker',
    reason: 'needs a container engine; test/deploy.test.ts checks the files',
  })),
  {
    document: 'docs/tools/tt.md',
    text: 'tt import zexport',
    reason: 'needs an export of Zipline; test/client/import.gate.test.ts makes one',
  },
  {
    document: 'clients/mcp/README.md',
    text: 'claude mcp add',
    reason: 'needs the assistant; the command after "--" is that of docs/tools/mcp.md, which is run',
  },
];

export function reasonNotToRun({ document, code }: Block): string | undefined {
  return notRun.find((entry) => entry.document === document && code.includes(entry.text))?.reason;
}

/** Entries that match no block any more. */
export const staleEntries = (documents: string[], blocks: Block[]): string[] =>
  notRun
    .filter(({ document }) => documents.includes(document))
    .filter(
      ({ document, text }) =>
        !blocks.some((block) => block.document === document && block.code.includes(text)),
    )
    .map(({ document, text }) => `${document}: ${text}`);

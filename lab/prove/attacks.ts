// Proof: no way leads a render, or what the service itself sends, to an address that is not public. Real service, real Chromium; canaries on loopback must not be
// reached, and for each way an allowed server shows that it works. Spec 4.3, 4.4 (`url`).
import { waysOut, type WayName } from '#wall/ways-out.ts';
import { names, spelledInPage, spelledRedirect, spelledUrl } from '#lab/prove/attacks/addresses.ts';
import { documents } from '#lab/prove/attacks/documents.ts';
import { onDialed, onGiven } from '#lab/prove/attacks/given.ts';
import { borrowedGrant } from '#lab/prove/attacks/grants.ts';
import { downloads, ownPorts, schemes } from '#lab/prove/attacks/machine.ts';
import { movedEndpoint, movedPut, movedUpload, movedWebhookUrl } from '#lab/prove/attacks/moved.ts';
import { everyWay, movedMainFrame, peers, popups } from '#lab/prove/attacks/pages.ts';
import { otherProvider } from '#lab/prove/attacks/sign-in.ts';
import { type Attack, setUpStage } from '#lab/prove/attacks/stage.ts';
import type { Finding, Proof } from '#lab/prove/proof.ts';

/** At least one for each row of the table. */
const attacksOn: Record<WayName, readonly [Attack, ...Attack[]]> = {
  page: [
    spelledUrl,
    ...onGiven('page'),
    spelledRedirect,
    names,
    movedMainFrame,
    borrowedGrant,
    schemes,
    ownPorts,
    downloads,
  ],
  subresource: [spelledInPage, everyWay, peers, popups, documents],
  webhook: [...onDialed('webhook'), movedEndpoint],
  webhookUrl: [...onDialed('webhookUrl'), movedWebhookUrl],
  put: [...onDialed('put'), movedPut],
  upload: [...onDialed('upload'), movedUpload],
  signIn: [otherProvider],
};

/** In the order of the table, so that a row without attacks has nothing to show. */
const attacks = Object.keys(waysOut).flatMap((way): readonly Attack[] => attacksOn[way as WayName]);

export const attacksProof: Proof = {
  name: 'attacks',
  title: 'Attacks on the renderer: nothing leads to an address that is not public',
  async run(size, say) {
    const { stage, close } = await setUpStage();
    const findings: Finding[] = [];
    try {
      for (const attack of attacks) {
        const { canaries } = stage;
        const before = canaries.hits();
        const finding = await attack(stage, size);
        const hits = canaries.hits() - before;
        findings.push({
          what: finding.what,
          seen: `${finding.seen}; ${hits} canaries touched`,
          holds: finding.holds && hits === 0,
        });
        say(`${finding.what}: ${findings.at(-1)!.seen}`);
      }
      return findings;
    } finally {
      await close();
    }
  },
};

// Proof: no way leads a render, or what the service itself sends, to an address that is not public. Real service, real Chromium; canaries on loopback must not be
// reached, and for each way an allowed server shows that it works. Spec 4.3, 4.4 (`url`).
import { names, spelledInPage, spelledRedirect, spelledUrl } from '#lab/prove/attacks/addresses.ts';
import { movedDelivery, spelledDelivery } from '#lab/prove/attacks/deliveries.ts';
import { documents } from '#lab/prove/attacks/documents.ts';
import { borrowedGrant } from '#lab/prove/attacks/grants.ts';
import { downloads, ownPorts, schemes } from '#lab/prove/attacks/machine.ts';
import { dialer, fetchedUpload, movedEndpoint, spelledEndpoint } from '#lab/prove/attacks/outgoing.ts';
import { everyWay, movedMainFrame, peers, popups } from '#lab/prove/attacks/pages.ts';
import { type Attack, setUpStage } from '#lab/prove/attacks/stage.ts';
import type { Finding, Proof } from '#lab/prove/proof.ts';

const attacks: Attack[] = [
  spelledUrl,
  spelledInPage,
  spelledRedirect,
  names,
  movedMainFrame,
  everyWay,
  peers,
  popups,
  documents,
  borrowedGrant,
  schemes,
  ownPorts,
  downloads,
  spelledEndpoint,
  movedEndpoint,
  spelledDelivery,
  movedDelivery,
  dialer,
  fetchedUpload,
];

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

// The wall of the service: judges addresses by the row of their way. `ways-out.ts` has the rows.
import { checkUrl, type CheckedUrl } from '#wall/check-url.ts';
import { parseGrants } from '#wall/grants.ts';
import { createNames, type Lookup } from '#wall/name-lookup.ts';
import { createEgressRules, type EgressRules, type EgressSettings } from '#wall/rules.ts';
import { waysOut, type JudgedWay, type Opening } from '#wall/ways-out.ts';

export type Wall = ReturnType<typeof createWall>;

export function createWall({
  allow,
  nameServers,
  lookup = createNames(nameServers && { servers: nameServers }),
}: EgressSettings & {
  /** Lets a test use its own resolver. */
  lookup?: Lookup;
}) {
  /** What the rules of this way are made from; `grants` are the private hosts of the account. */
  function settingsFor(way: JudgedWay, grants = ''): EgressSettings {
    const openings: readonly Opening[] = waysOut[way].openings;
    return {
      allow: [
        ...(openings.includes('EGRESS_ALLOW') ? allow : []),
        ...(openings.includes('grants') ? parseGrants(grants) : []),
      ],
      ...(nameServers && { nameServers }),
    };
  }

  const rulesFor = (way: JudgedWay, grants?: string): EgressRules =>
    createEgressRules({ ...settingsFor(way, grants), lookup });

  return {
    settingsFor,
    rulesFor,
    /** An address that a client wrote into this field. */
    check: (way: JudgedWay, text: string, field: string, grants?: string): CheckedUrl =>
      checkUrl(text, rulesFor(way, grants), field, waysOut[way]),
  };
}

// The age of a browser is that of its version.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  compareVersions,
  describeRelease,
  isOld,
  oldAfterDays,
  releaseOf,
} from '#browser/install/releases.ts';
import { examineAge } from '#roof/doctor.ts';
import { idleBrowser } from '#test/support/stand-in-browser.ts';
import { root } from '#test/support/processes.ts';

const day = 24 * 60 * 60_000;
const dayOf = (version: string): string => releaseOf(version).toISOString().slice(0, 10);

test('a version counts from the release of its milestone, one beyond the table by the rhythm of two weeks, an older one from the first row', () => {
  assert.equal(dayOf('153.0.7846.11'), '2026-09-08');
  assert.equal(dayOf('144.0.1.1'), '2026-01-13');
  const last = dayOf('158.0.8127.18');
  assert.equal(last, '2026-11-17');
  assert.equal(dayOf('159.0.1.1'), '2026-12-01');
  assert.equal(dayOf('184.0.1.1'), '2027-11-16');
  for (const older of ['90.0.1.1', '0', 'canary']) assert.equal(dayOf(older), '2023-12-05', older);
});

test('each row of the table is a later milestone of a later day, at most six weeks after the one before', () => {
  for (let milestone = 121; milestone <= 160; milestone += 1) {
    const daysLater = (releaseOf(`${milestone}`).getTime() - releaseOf(`${milestone - 1}`).getTime()) / day;
    // The longest pauses are those of the turn of the year.
    assert.ok(daysLater >= 14 && daysLater <= 63, `${milestone}: ${daysLater}`);
  }
});

test('doctor fails above 45 days, not at 45, and says what to do', () => {
  const release = releaseOf('153');
  const after = (days: number) => release.getTime() + days * day;
  assert.equal(oldAfterDays, 45);
  assert.deepEqual(
    [isOld(release, after(45)), isOld(release, after(46)), isOld(release, after(-3))],
    [false, true, false],
  );
  assert.equal(describeRelease(release, after(-3)), 'released on 2026-09-08');
  assert.equal(describeRelease(release, after(1)), 'released on 2026-09-08, 1 day ago');
  const about = { ...idleBrowser.about, version: '153.0.7846.11', releasedAt: release };
  const young = examineAge({ ...about, renewal: 'npx tintype browser renew' }, after(45));
  assert.equal(young.ok, true);
  const old = examineAge({ ...about, renewal: 'npx tintype browser renew' }, after(46));
  assert.equal(old.ok, false);
  assert.match(old.found, /^153\.0\.7846\.11 was released on 2026-09-08, 46 days ago/);
  assert.match(
    old.remedy ?? '',
    /run "npx tintype browser renew"; if it finds nothing newer, upgrade Tintype/,
  );
  const system = examineAge({ ...about, renewal: 'sudo apt update && sudo apt upgrade' }, after(46));
  assert.match(
    system.remedy ?? '',
    /^sudo apt update && sudo apt upgrade; or run "npx tintype browser renew"$/,
  );
});

test('the alert begins on the same day', () => {
  const rules = readFileSync(join(root, 'deploy', 'prometheus', 'alerts.yml'), 'utf8');
  const days = /time\(\) - tintype_browser_release_timestamp_seconds\{job="tintype"\} > (\d+) \* 86400/.exec(
    rules,
  )?.[1];
  assert.equal(Number(days), oldAfterDays);
});

test('versions are compared by their numbers', () => {
  assert.ok(compareVersions('158.0.8127.10', '158.0.8127.9') > 0);
  assert.ok(compareVersions('99.0.1', '158.0.1') < 0);
  assert.equal(compareVersions('153.0.0', '153.0.0.0'), 0);
});

// Where the page of a render may go: public addresses and the operator's exceptions, without the hosts that the request blocks.
import { createReadStream } from 'node:fs';
import { parseHostNames, withBlockedHosts } from '#wall/blocked-hosts.ts';
import { createEgressRules, type EgressRules } from '#wall/rules.ts';
import type { Task } from '#browser/job.ts';

const noNetwork = { kind: 'blocked', reason: 'the request asks for no network' } as const;
/** Refuses every name before it is looked up. */
const nowhere: EgressRules = { decideByName: () => noNetwork, decide: () => Promise.resolve(noNetwork) };

let listed: { file: string; names: Promise<Set<string>> } | undefined;

export async function rulesOf({
  egress,
  changes: { blockHosts, blockedHostsFile, network },
}: Task): Promise<EgressRules> {
  if (network === 'none') return nowhere;
  const rules = createEgressRules(egress);
  const lists = [
    ...(blockHosts.length > 0 ? [new Set(blockHosts)] : []),
    ...(blockedHostsFile === null ? [] : [await listedHosts(blockedHostsFile)]),
  ];
  return lists.length === 0 ? rules : withBlockedHosts(rules, lists);
}

/** Each change of the operator's list has a file of its own. */
function listedHosts(file: string): Promise<Set<string>> {
  if (listed?.file !== file) listed = { file, names: readHosts(file) };
  return listed.names;
}

/** In portions, because the worker has to answer in between. */
async function readHosts(file: string): Promise<Set<string>> {
  const names = new Set<string>();
  let rest = '';
  for await (const portion of createReadStream(file, 'utf8')) {
    const text = rest + String(portion);
    const end = text.lastIndexOf('\n') + 1;
    parseHostNames(text.slice(0, end), names);
    rest = text.slice(end);
  }
  return parseHostNames(rest, names).names;
}

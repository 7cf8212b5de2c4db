// tt status: the service, the key, the plan, the usage of this month and the requests of this minute.
import type { AccountUsage } from '../../library/src/contract.ts';
import { toSnake } from '../../library/src/letter-case.ts';
import { openService } from '../../shared/src/service.ts';
import { profileName } from '../../shared/src/settings.ts';
import { print } from '../../shared/src/terminal.ts';
import type { Command } from './command.ts';

export const status: Command = {
  summary: 'Show the service, the key, the plan and what is left',
  help: `Usage: tt status [--json]

Shows which service and key are used, the plan, what is left of the monthly
quotas, and the request budget of the current minute. Costs one request and no
unit.

Options:
  --json             Print one JSON object, as the API gives it

Examples:
  tt status
  tt status --json | jq .units.render.remaining`,
  options: { json: { type: 'boolean' } },

  async run({ values, signal }) {
    const { client, settings } = await openService();
    const { meta: _meta, ...usage } = await client.usage({ signal });
    if (values['json']) {
      await print(`${JSON.stringify({ url: settings.url, ...(toSnake(usage) as object) })}\n`);
      return 0;
    }
    const { key, plan, units, requests, resetsAt } = usage;
    const until = key.expiresAt === null ? '' : `, until ${key.expiresAt.slice(0, 10)}`;
    await print(`service   ${settings.url} (profile ${profileName()})
key       ${key.name}, for ${key.scope === 'all' ? 'everything' : `${key.scope} only`}${until}
plan      ${plan.name}
uploads   ${lineOf(units.upload)}
renders   ${lineOf(units.render)}, ${plan.concurrentRenders} at once
requests  ${requests.remaining} of ${requests.limit} left, refills in ${requests.resetSeconds} s
resets    ${resetsAt.slice(0, 10)}
`);
    return 0;
  },
};

const lineOf = ({ remaining, limit, percent, overage }: AccountUsage['units']['upload']): string =>
  `${remaining} of ${limit} left this month (${percent} % used${overage > 0 ? `, ${overage} billed past it` : ''})`;

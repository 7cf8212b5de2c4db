// How the page is changed.
import { Type } from 'typebox';
import { invalid } from '#core/errors.ts';
import { noChanges, type BlockedKind } from '#browser/job.ts';
import { choice, listOf, selector, sizedText, text } from '#api/fields.ts';
import { listedHostOf } from '#api/v2/fields/access.ts';
import { checkSelector } from '#api/v2/check-selector.ts';
import { rowsOf } from '#api/v2/fields/row.ts';

const KiB = 1024;
const { shown, hidden } = rowsOf('changes', 'Page');
const blockedKinds: BlockedKind[] = ['images', 'media', 'fonts'];

export const changeRows = {
  javascript: shown(Type.Boolean({ default: true, description: 'Run the scripts of the page.' })),
  css: hidden(
    sizedText(100 * KiB, 'CSS that applies to the page from its first paint, such as nav { display: none }.'),
  ),
  script: hidden(
    sizedText(
      100 * KiB,
      'JavaScript that runs in the page once it has loaded: the body of an async function, so it may use await.',
    ),
    { barredFromLinks: true },
  ),
  hide: shown(
    Type.Array(selector('A selector of elements to hide.'), {
      maxItems: 20,
      default: [],
      description: 'Selectors of elements that are hidden from the first paint, such as #chat.',
    }),
    {
      lower(hide, { field }) {
        for (const [index, one] of hide.entries()) checkSelector(one, `${field}[${index}]`);
        return { hide };
      },
    },
  ),
  block: shown(
    listOf(
      ['ads', 'cookie_banners', ...blockedKinds],
      'What the page goes without. Cookie banners are declined, never accepted; ads needs a list that the operator gives.',
    ),
    {
      lower(block, { field, settings: { blockedHostsFile } }) {
        const ads = block.indexOf('ads');
        if (ads !== -1 && blockedHostsFile === null)
          throw invalid(
            `${field}[${ads}]`,
            'ads: this installation has no list of ad hosts; leave it out, or ask the operator to set BLOCKED_HOSTS_FILE',
          );
        return {
          blockKinds: blockedKinds.filter((kind) => block.includes(kind)),
          blockedHostsFile: ads === -1 ? null : blockedHostsFile,
          declineCookieBanners: block.includes('cookie_banners'),
        };
      },
    },
  ),
  block_hosts: shown(
    Type.Array(text(253, 'A host name, such as ads.example.com.'), {
      maxItems: 50,
      default: [],
      description: 'Hosts that the page cannot reach, subdomains included, such as ads.example.com.',
    }),
    {
      lower: (hosts, { field }) => ({
        blockHosts: hosts.map((given, index) => listedHostOf(given, `${field}[${index}]`)),
      }),
    },
  ),
  network: shown(
    choice(['all', 'none'], {
      default: noChanges.network,
      description:
        'none: the page of html or markdown gets what came with the request and nothing else; no request leaves the service.',
    }),
  ),
};

// The pages of the dashboard, as the navigation and the command palette list them.
import type { IconName } from '#app/parts/icon.tsx';
import type { Session } from '#app/session.ts';

type Entry = [path: string, text: string, icon: IconName];

const groups: { title: string; entries: Entry[]; isAdmin?: true }[] = [
  {
    title: 'Your things',
    entries: [
      ['/', 'Overview', 'overview'],
      ['/uploads', 'Uploads', 'uploads'],
      ['/albums', 'Albums', 'albums'],
      ['/upload-links', 'Upload links', 'upload'],
      ['/renders', 'Renders', 'renders'],
    ],
  },
  {
    title: 'Build',
    entries: [
      ['/playground', 'Playground', 'playground'],
      ['/keys', 'API keys', 'keys'],
      ['/integrations', 'Integrations', 'integrations'],
      ['/links', 'Links', 'links'],
      ['/webhooks', 'Webhooks', 'webhooks'],
      ['/requests', 'Request log', 'requests'],
    ],
  },
  {
    title: 'Account',
    entries: [
      ['/usage', 'Usage and plan', 'usage'],
      ['/settings', 'Settings', 'settings'],
    ],
  },
  {
    title: 'Admin',
    isAdmin: true,
    entries: [
      ['/admin/accounts', 'Accounts', 'accounts'],
      ['/admin/plans', 'Plans', 'plans'],
      ['/admin/overages', 'Overages', 'overages'],
      ['/admin/health', 'Health', 'health'],
      ['/admin/audit', 'Audit log', 'audit'],
      ['/admin/settings', 'Installation', 'settings'],
    ],
  },
];

export const groupsFor = ({ owner }: Session): { title: string; entries: Entry[] }[] =>
  groups.filter(({ isAdmin }) => !isAdmin || owner);

export const pagesFor = (session: Session): Entry[] => groupsFor(session).flatMap(({ entries }) => entries);

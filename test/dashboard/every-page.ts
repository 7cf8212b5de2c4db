// Visits every page of an installation that has data, and checks that each one loads, logs no errors, is accessible and does
// not scroll sideways.
import { formOf } from '#test/support/requests.ts';
import { storeRender } from '#test/support/stored-render.ts';
import { createVisitor, signedInVisitor, type Visitor } from '#test/support/visitor.ts';
import { startDashboard, violations, type Dashboard, type WatchedPage } from '#test/dashboard/kit.ts';
import { picture, seed } from '#test/dashboard/seed.ts';

interface Shown {
  name: string;
  path: () => string;
  as: () => Visitor;
  /** A text that the page shows once it has loaded. */
  sign: string;
}

export interface Look {
  name: string;
  scheme: 'light' | 'dark';
  width: number;
}

export const looks: Look[] = [
  { name: 'desktop-light', scheme: 'light', width: 1440 },
  { name: 'desktop-dark', scheme: 'dark', width: 1440 },
  { name: 'tablet', scheme: 'light', width: 768 },
  { name: 'phone', scheme: 'dark', width: 390 },
];

export interface EveryPage {
  dashboard: Dashboard;
  owner: Visitor;
  shown: Shown[];
  /** Opens each page in this look and calls `onPage` once it has loaded; returns the browser's complaints. */
  visit: (look: Look, onPage: (tab: WatchedPage, page: Shown) => Promise<void>) => Promise<string[]>;
  /** All faults of the pages in this look, with those that axe-core finds; contrast depends on the scheme. */
  faultsIn: (look: Omit<Look, 'name'>) => Promise<string[]>;
}

export async function startEveryPage(): Promise<EveryPage> {
  const dashboard = await startDashboard({ SIGNUPS: 'open' });
  const { service, site } = dashboard;
  const owner = await signedInVisitor(service, { owner: true });
  const newcomer = await signedInVisitor(service, { plan: 'free', verified: false });
  await service.accounts.create('suspended@example.com', { plan: 'starter' });
  const suspended = (await owner.call('GET /admin/accounts', { query: { search: 'suspended@' } })).body
    .items[0]!;
  await owner.call('PATCH /admin/accounts/:id', {
    id: suspended.id,
    body: { suspended: true, suspended_reason: 'Sent the same picture 40,000 times.' },
  });
  await owner.call('PATCH /overages', { body: { enabled: true, cap: 5_000 } });
  await owner.call('PATCH /profile', { body: { name: 'Ann Lindqvist' } });
  await seed(service, site, owner);
  const keyId = (await owner.call('GET /keys')).body.items.find(({ name }) => name === 'laptop')!.id;
  const hook = { url: `https://${site.host}/hook`, events: ['upload.created', 'quota.warning'] };
  await owner.call('POST /webhooks', { body: hook });
  await owner.call('POST /link-keys', { body: { name: 'newsletter' } });
  const { body: album } = await owner.call('POST /albums', { body: { title: 'A week at the sea' } });
  const [first] = (await owner.call('GET /uploads')).body.items;
  await owner.call('PATCH /uploads/:id', { id: first!.id, body: { album: album.id, tags: ['sea'] } });
  await owner.call('POST /upload-links', { body: { title: 'Pictures of the party', album: album.id } });
  const shared = await picture('#8aa0a8', 2);
  const upload = (await owner.call('POST /uploads', { form: formOf([[shared, 'shared.webp']]) })).body;
  const ownerId = (await owner.call('GET /session')).body.signed_in!.id;
  const several = await storeRender(
    service,
    ownerId,
    [
      { format: 'webp', bytes: shared },
      { format: 'pdf', bytes: Buffer.from('%PDF') },
      { format: 'markdown', bytes: Buffer.from('# Prices') },
    ],
    { title: 'Prices of the day', reference: 'prices, Monday' },
  );
  const stranger = (): Visitor => createVisitor(dashboard.service);
  const shown: Shown[] = [
    page('landing', () => '/', 'Pages as pictures', stranger),
    page('docs', () => '/docs', 'Documentation', stranger),
    page('docs-page', () => '/docs/guides/upload-and-share', 'Several at once', stranger),
    page('share', () => new URL(upload.url).pathname, 'shared.webp', stranger),
    page('share-picture', () => `/i/${several}`, 'Prices of the day', stranger),
    page('share-pdf', () => `/i/${several}-1`, '3 pages', stranger),
    page(
      'delete',
      () => upload.delete_url.slice(dashboard.service.config.baseUrl.length),
      'Delete',
      stranger,
    ),
    page('gone', () => '/i/nothing-here', 'Nothing here', stranger),
    page('sign-in', () => '/dashboard/sign-in', 'Forgot your password?', stranger),
    page('sign-up', () => '/dashboard/sign-up', 'At least 10 characters', stranger),
    page('forgot-password', () => '/dashboard/forgot-password', 'Get a link', stranger),
    page('reset-password', () => '/dashboard/reset-password?token=x', 'Get a new link', stranger),
    page(
      'verify-email',
      () => '/dashboard/verify-email',
      'This link does not work',
      () => newcomer,
    ),
    page(
      'overview-new',
      () => '/dashboard',
      'First steps',
      () => newcomer,
    ),
    page(
      'uploads-empty',
      () => '/dashboard/uploads',
      'No uploads yet',
      () => newcomer,
    ),
    page(
      'keys-empty',
      () => '/dashboard/keys',
      'No keys yet',
      () => newcomer,
    ),
    page(
      'webhooks-empty',
      () => '/dashboard/webhooks',
      'No endpoints yet',
      () => newcomer,
    ),
    page(
      'links-empty',
      () => '/dashboard/links',
      'No link keys yet',
      () => newcomer,
    ),
    page(
      'albums-empty',
      () => '/dashboard/albums',
      'No albums yet',
      () => newcomer,
    ),
    page('overview', () => '/dashboard', 'mark.svg'),
    page('uploads', () => '/dashboard/uploads', 'mark.svg'),
    page('uploads-filtered', () => '/dashboard/uploads?search=nothing+like+it', 'No matching uploads'),
    page('albums', () => '/dashboard/albums', 'A week at the sea'),
    page('upload-links', () => '/dashboard/upload-links', 'Pictures of the party'),
    page('upload', () => `/dashboard/uploads?open=${first!.id}`, 'Copy as'),
    page('renders', () => '/dashboard/renders', 'Hosted'),
    page('render', () => `/dashboard/renders?open=${several}`, 'Page link'),
    page('playground', () => '/dashboard/playground', 'As code'),
    page('playground-pdf', () => '/dashboard/playground?tab=pdf', 'Print background'),
    page('playground-render', () => '/dashboard/playground?tab=render', 'Several outputs'),
    page('playground-upload', () => '/dashboard/playground?tab=upload', 'Expires in'),
    page('keys', () => '/dashboard/keys', 'build server'),
    page('key', () => `/dashboard/key?id=${keyId}`, 'Used from'),
    page('usage', () => '/dashboard/usage', 'Uploads by day'),
    page('requests', () => '/dashboard/requests', '/article.html'),
    page('settings', () => '/dashboard/settings', 'This one'),
    page('webhooks', () => '/dashboard/webhooks', 'upload.created'),
    page('links', () => '/dashboard/links', 'newsletter'),
    page('integrations', () => '/dashboard/integrations', 'ShareX'),
    page('admin-accounts', () => '/dashboard/admin/accounts', 'suspended@example.com'),
    page('admin-account', () => `/dashboard/admin/account?id=${ownerId}`, 'Private hosts'),
    page('admin-plans', () => '/dashboard/admin/plans', 'Business'),
    page('admin-overages', () => '/dashboard/admin/overages', 'No overages'),
    page('admin-health', () => '/dashboard/admin/health', 'Renders now'),
    page('admin-settings', () => '/dashboard/admin/settings', 'Send a test message'),
    page('admin-audit', () => '/dashboard/admin/audit', 'Sent the same picture'),
    page('not-found', () => '/dashboard/nowhere', 'There is no such page'),
  ];

  const visit: EveryPage['visit'] = async ({ scheme, width }, onPage) => {
    const complaints: string[] = [];
    for (const as of [stranger, () => newcomer, () => owner]) {
      const tab = await dashboard.open({
        as: as(),
        colorScheme: scheme,
        viewport: { width, height: width < 500 ? 844 : 900 },
      });
      for (const shownPage of shown) {
        const { path, sign, as: reader } = shownPage;
        if (reader !== as && reader() !== as()) continue;
        await tab.goto(path());
        await tab.getByText(sign).filter({ visible: true }).first().waitFor();
        await tab.evaluate(
          `Promise.all([document.fonts.ready, ...[...document.images].map((image) => image.loading === 'lazy' || image.decode())])`,
        );
        await onPage(tab, shownPage);
      }
      complaints.push(...tab.troubles);
      await tab.context().close();
    }
    return complaints;
  };

  return {
    dashboard,
    owner,
    shown,
    visit,
    async faultsIn({ scheme, width }) {
      const found: string[] = [];
      const complaints = await visit({ name: '', scheme, width }, async (tab, { name }) => {
        const overhang = await tab.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        if (overhang > 0) found.push(`${name}: ${overhang} px too wide`);
        found.push(...(await violations(tab)).map((violation) => `${name}: ${violation}`));
      });
      return [...found, ...complaints];
    },
  };

  function page(name: string, path: () => string, sign: string, as: () => Visitor = () => owner): Shown {
    return { name, path, sign, as };
  }
}

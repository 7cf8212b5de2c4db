// The desk of someone who reads the documents: a running service, a key, a page to render, and the files that the examples name.
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createLinkKeys } from '#accounts/link-keys.ts';
import { createPlans } from '#accounts/plans.ts';
import { jpeg, png } from '#test/support/images.ts';
import { startPageServer } from '#test/support/page-server.ts';
import { startPostgres } from '#test/support/postgres.ts';
import { freePort, root, temporaryFolder } from '#test/support/processes.ts';
import { s3Credentials, startS3 } from '#test/support/s3.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { buildClients } from '#scripts/build-clients.ts';

export interface Desk {
  service: TestService;
  key: string;
  folder: string;
  /** The TypeScript files that were run. */
  programs: string[];
  environment: Record<string, string>;
  /** Where the commands of a document have gone with `cd`, by the folder in which they began. */
  wentTo: Map<string, string>;
  /** A folder of its own for each document, with the files that its examples name. */
  folderFor(document: string): Promise<string>;
  /** Puts what exists here in place of the addresses, keys and folders that stand in the documents for the reader's own. */
  fill(code: string): Promise<string>;
  close(): Promise<void>;
}

const pictures = ['photo.png', 'draft.png', 'one.png', 'shots/a/b.png', 'shots/c.png'];

const resourcesByPath: Record<string, string> = {
  '/f/': 'uploads',
  '/s/': 'renders',
  '/a/': 'albums',
  '/u/': 'upload_links',
};

export async function setDesk(): Promise<Desk> {
  await buildClients(join(root, 'clients/dist'));
  const [{ path: folder, remove }, site, postgres, s3] = await Promise.all([
    temporaryFolder(),
    startPageServer({ '/': '<!doctype html><h1>Hello</h1>', '/long': '<!doctype html><h1>Long</h1>' }),
    startPostgres(),
    startS3(),
  ]);
  const port = String(await freePort());
  const service = await startService({
    EGRESS_ALLOW: site.host,
    PORT: port,
    BASE_URL: `http://127.0.0.1:${port}`,
    // The target of migrate-data is another database; this one stays as documented, in files.
    DATABASE_URL: '',
  });
  const { key, accountId } = await service.newKey();
  const linkKey = await createLinkKeys({ ...service, plans: createPlans() }).create(accountId, 'documents');
  const database = await postgres.newDatabase();
  const upload = await fetch(`${service.origin}/api/v1/upload`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: formOf(await png()),
  });
  const { delete_url: deleteUrl } = (await upload.json()) as { delete_url: string };

  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  await mkdir(join(folder, 'home/Pictures/Screenshots'), { recursive: true });
  await mkdir(join(folder, 'home/Pictures/Old'));
  await writeFile(join(folder, 'home/Pictures/Old/pier.png'), await png());

  const placeholders: [RegExp, string][] = [
    [/https:\/\/images\.example\.com|http:\/\/localhost:3000/g, service.origin],
    [/(?<![\w.@])(https:\/\/)?example\.(com|org)/g, site.base],
    [/tt_…/g, key],
    [/lk_…/g, linkKey.row.id],
    [/\/api\/uploads\/<id>\/delete\?token=<token>/g, deleteUrl.slice(service.origin.length)],
    [/\/backups\/tintype/g, join(folder, 'backup')],
    [/\/srv\/tintype/g, join(folder, 'restored')],
    [/postgres:\/\/…/g, database],
    [/s3:\/\/bucket\?region=…/g, s3.newStorageUrl()],
  ];

  async function newLink(): Promise<string> {
    const made = await fetch(`${service.origin}/api/v2/links`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ html: '<p>Hello' }),
    });
    return new URL(((await made.json()) as { url: string }).url).pathname;
  }

  /** The path of something new, which a call can read, change, delete or restore. */
  async function newPlace(place: string, code: string): Promise<string> {
    if (place.startsWith('/r/')) return newLink();
    const [, start = '', name = ''] = /^(.*)<(\w+)>$/.exec(place) ?? [];
    const resource = resourcesByPath[start] ?? start.split('/')[3] ?? '';
    const address = `${service.origin}/api/v2/${resource}`;
    const headers = { authorization: `Bearer ${key}` };
    const fields = resource === 'renders' ? { html: '<p>Hello', response: 'json' } : { title: 'Hello' };
    const request =
      resource === 'uploads'
        ? { headers, body: formOf(await png()) }
        : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(fields) };
    const made = await fetch(address, { method: 'POST', ...request });
    const { [name]: value = '', id = '' } = (await made.json()) as Record<string, string>;
    if (code.includes('/restore')) await fetch(`${address}/${id}`, { method: 'DELETE', headers });
    return start + value;
  }

  return {
    service,
    key,
    folder,
    programs: [],
    wentTo: new Map(),
    environment: {
      ...service.environment,
      ...s3Credentials,
      PATH: [join(folder, 'global/bin'), dirname(process.execPath), process.env['PATH']].join(':'),
      HOME: join(folder, 'home'),
      TINTYPE_URL: service.origin,
      TINTYPE_API_KEY: key,
      TINTYPE_LINK_SECRET: linkKey.secret,
      // An address where nothing listens: nothing that the documents install comes from a registry.
      npm_config_registry: 'http://127.0.0.1:9',
      npm_config_cache: join(folder, 'cache'),
      npm_config_prefix: join(folder, 'global'),
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
    },
    async folderFor(document) {
      const place = join(folder, document.replaceAll(/\W+/g, '-'));
      await mkdir(join(place, 'shots/a'), { recursive: true });
      await symlink(join(root, 'docs'), join(place, 'docs'));
      // As the set-up leaves it in a clone, for "npx tintype".
      await mkdir(join(place, 'node_modules/.bin'), { recursive: true });
      await symlink(join(root, 'bin/tintype.js'), join(place, 'node_modules/.bin/tintype'));
      for (const name of pictures) await writeFile(join(place, name), await png());
      for (const name of ['photo.jpg', 'two.jpg']) await writeFile(join(place, name), await jpeg());
      await writeFile(join(place, 'urls.txt'), `${site.base}/\n${site.base}/long\n`);
      return place;
    },
    async fill(code) {
      const [, place = ''] = /(\/[\w/]+\/<(?:id|slug|token|link_key)>(?:\/\{\w+\})*)/.exec(code) ?? [];
      const own = place.startsWith('/api/uploads/') || place === '' ? place : await newPlace(place, code);
      return placeholders
        .reduce((text, [written, here]) => text.replaceAll(written, () => here), code)
        .replaceAll(place, () => own);
    },
    async close() {
      await service.stop();
      await Promise.all([site.close(), postgres.stop(), s3.stop()]);
      await remove();
    },
  };
}

function formOf(bytes: Buffer): FormData {
  const form = new FormData();
  form.set('file', new Blob([bytes as Uint8Array<ArrayBuffer>]), 'photo.png');
  return form;
}

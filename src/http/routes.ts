// The whole route table: methods, path, guard, handler. Every other method at a path gets a 405. Spec 4, 7.
import type { FastifyInstance } from 'fastify';
import findMyWay from 'find-my-way';
import type { RequestKind } from '#storage/schema.ts';
import { accountHandlers } from '#http/account/handlers.ts';
import { deleteUpload } from '#http/api/delete-upload.ts';
import { pdf } from '#http/api/v1/pdf.ts';
import { screenshot } from '#http/api/v1/screenshot.ts';
import { upload } from '#http/api/v1/upload.ts';
import { uploadBatch } from '#http/api/v1/upload-batch.ts';
import { albumHandlers } from '#http/api/v2/albums.ts';
import { createLink } from '#http/api/v2/links.ts';
import { renderHandlers } from '#http/api/v2/renders.ts';
import { uploadLinkHandlers } from '#http/api/v2/upload-links.ts';
import { uploadHandlers } from '#http/api/v2/uploads.ts';
import { usage } from '#http/api/v2/usage.ts';
import { favicon, robots, sendAsset } from '#http/pages/assets.ts';
import { clientFiles } from '#http/pages/clients.ts';
import { createDashboardApp, toDashboard } from '#http/dashboard/app.ts';
import { dashboard } from '#http/dashboard/handlers.ts';
import { manifest, shareWorker, toSharedUploads } from '#http/dashboard/install.ts';
import { entryPaths, shareTarget } from '#http/dashboard/paths.ts';
import { docsPages, openapiJson, openapiV2Json, toDocs } from '#http/docs/page.ts';
import { healthz, readyz } from '#http/health.ts';
import { showUpload } from '#http/hosted/ask-visitor.ts';
import { album } from '#http/hosted/album.ts';
import { dropPage } from '#http/hosted/drop-page.ts';
import { hostedFile } from '#http/hosted/file.ts';
import { signedLink } from '#http/hosted/link.ts';
import { renderFile } from '#http/hosted/render-file.ts';
import { svgPreview } from '#http/hosted/svg-preview.ts';
import { oembed, sharePage } from '#http/hosted/share-page.ts';
import { deletePath } from '#http/links.ts';
import { landingPage } from '#http/pages/landing.ts';
import type { Handler, RouteParts } from '#http/parts.ts';

/** `kind`, of an endpoint that the request log has: of what it answers to other methods than GET and HEAD, which read. */
type AddRoute = (
  methods: string[],
  url: string,
  guard: Handler,
  handler: Handler,
  kind?: RequestKind,
) => void;

/** Anyone may call: these routes need no key. */
const open: Handler = async () => {};
const reading = ['GET', 'HEAD'];

export function addRoutes(route: AddRoute, parts: RouteParts): void {
  const { settings, guards, idempotency, metrics, database, accounts, delivery, uploads, renders } = parts;
  const uploadParts = { ...settings, ...delivery, ...uploads, database, idempotency };
  const renderParts = { ...settings, ...renders, idempotency, cell: parts.cell };
  const version2 = {
    renders: renderHandlers(renderParts),
    uploads: uploadHandlers(uploadParts),
    albums: albumHandlers(uploadParts),
    uploadLinks: uploadLinkHandlers(uploadParts),
  };
  const api = {
    upload: upload(uploadParts),
    uploadBatch: uploadBatch(uploadParts),
    screenshot: screenshot(renderParts),
    pdf: pdf(renderParts),
    render: version2.renders.create,
  };
  const account = accountHandlers(parts);
  const pages = createDashboardApp(settings.pictureOrigins);
  const [mayUpload, mayRender] = [guards.admitFor('upload', 2), guards.admitFor('render', 2)];

  route(['POST'], '/api/v1/upload', guards.admitFor('upload'), api.upload, 'upload');
  route(['POST'], '/api/v1/upload/batch', guards.admitFor('upload'), api.uploadBatch, 'upload');
  route(['POST'], '/api/v1/screenshot', guards.admitFor('render'), api.screenshot, 'render');
  route(['POST'], '/api/v1/pdf', guards.admitFor('render'), api.pdf, 'render');
  route([...reading, 'POST'], '/api/v2/renders', mayRender, version2.renders.all, 'render');
  route([...reading, 'DELETE'], '/api/v2/renders/:id', mayRender, version2.renders.one, 'change');
  route([...reading, 'POST'], '/api/v2/uploads', mayUpload, version2.uploads.all, 'upload');
  route([...reading, 'PATCH', 'DELETE'], '/api/v2/uploads/:id', mayUpload, version2.uploads.one, 'change');
  route(['POST'], '/api/v2/uploads/:id/restore', mayUpload, version2.uploads.restore, 'change');
  route(
    ['POST'],
    '/api/v2/links',
    mayRender,
    createLink({ ...settings, ...renders, ...accounts, clock: parts.clock }),
    // Signs an address and stores nothing.
    'read',
  );
  route([...reading, 'POST'], '/api/v2/albums', mayUpload, version2.albums.all, 'change');
  route([...reading, 'PATCH', 'DELETE'], '/api/v2/albums/:id', mayUpload, version2.albums.one, 'change');
  route([...reading, 'POST'], '/api/v2/upload_links', mayUpload, version2.uploadLinks.all, 'change');
  route([...reading, 'DELETE'], '/api/v2/upload_links/:id', mayUpload, version2.uploadLinks.one, 'change');
  route(reading, '/api/v2/usage', guards.admitFor('any', 2), usage(parts), 'read');
  route(reading, '/api/account/uploads', guards.admitFor('upload'), account.uploads);
  route(reading, '/api/account/renders', guards.admitFor('render'), account.renders);
  route(reading, '/api/account/usage', guards.admitFor('any'), account.usage);
  // The token in the query is the authentication; the handler counts wrong ones.
  route([...reading, 'POST', 'DELETE'], deletePath, open, deleteUpload({ ...settings, ...uploads, guards }));

  // dashboard/contract.ts says who may call which of these.
  for (const { methods, url, handler } of dashboard({ ...parts, api })) route(methods, url, open, handler);

  route(reading, '/', open, landingPage(settings));
  for (const url of entryPaths) route(reading, url, open, toDashboard);
  route(reading, '/dashboard', open, pages.page);
  route(reading, '/dashboard/*', open, pages.page);
  route(reading, '/dashboard/assets/:name', open, pages.asset);
  route(reading, '/dashboard/manifest.webmanifest', open, manifest);
  route(reading, '/dashboard/share-worker.js', open, shareWorker);
  route([...reading, 'POST'], shareTarget, open, toSharedUploads);

  route(reading, '/i/:slug', open, sharePage(parts));
  route([...reading, 'POST'], '/i/:slug/show', open, showUpload(parts));
  route(reading, '/a/:slug', open, album(parts));
  // The token in the path is the authentication; the handler counts wrong ones.
  route([...reading, 'POST'], '/u/:token', open, dropPage(parts));
  route(reading, '/f/:slug', open, hostedFile(parts));
  route(reading, '/f/:slug/preview.png', open, svgPreview(parts));
  route(reading, '/s/:id', open, renderFile('/s/', parts));
  route(reading, '/p/:id', open, renderFile('/p/', parts));
  // A wildcard: the names of parameters have at most 100 characters.
  route(reading, '/r/*', open, signedLink(parts));
  route(reading, '/oembed', open, oembed(parts));
  route(reading, '/assets/:name', open, sendAsset);

  const clients = clientFiles({ ...settings, log: parts.log });
  route(reading, '/clients/', open, clients.index);
  route(reading, '/clients/:name', open, clients.file);
  route(reading, '/openapi.json', open, openapiJson(settings));
  route(reading, '/openapi-v2.json', open, openapiV2Json(settings));
  const { plans } = accounts;
  const docs = docsPages({
    ...settings,
    // The documents are there while the database is not.
    readPlans: async () => (await plans.inForce(database.tables).catch(() => plans.given)).all,
  });
  route(reading, '/docs', open, docs);
  route(reading, '/docs/', open, toDocs);
  route(reading, '/docs/*', open, docs);
  route(reading, '/robots.txt', open, robots);
  route(reading, '/favicon.ico', open, favicon);
  route(reading, '/healthz', open, healthz);
  route(reading, '/readyz', open, readyz(parts));
  if (settings.metricsPort === undefined) route(reading, '/metrics', open, metrics.send);
}

/** A path of the service as its route has it, with every method that works there. */
export interface Known {
  url: string;
  methods: string[];
}

/** Adds routes to the application, and knows them by path alone for requests whose method has no route. */
export function createRouter(app: () => FastifyInstance) {
  // Fastify's own router has a tree for each of 35 methods: a route of every other method at every path would take longer at start than
  // all the rest of the server.
  const tree = findMyWay();
  const paths: string[] = [];
  return {
    at: (path: string): Known | undefined => tree.find('GET', path)?.store as Known | undefined,
    paths,
    add(methods: string[], url: string, guard: Handler, handler: Handler, kind?: RequestKind): void {
      paths.push(url);
      tree.on('GET', url, () => {}, { url, methods } satisfies Known);
      app().route({ method: methods, url, onRequest: guard, handler, ...(kind && { config: { kind } }) });
    },
  };
}

// The whole route table: methods, path, audience, handler. api/contract.ts and console/contract.ts say what each of theirs is. Every other
// method at a path gets a 405. Spec 4, 7.
import { accountHandlers } from '#api/account/handlers.ts';
import { endpoints, methodAndPath, type Endpoint, type EndpointName } from '#api/contract.ts';
import { deleteUpload } from '#site/hosted/delete-upload.ts';
import { pdf } from '#api/v1/pdf.ts';
import { screenshot } from '#api/v1/screenshot.ts';
import { upload } from '#api/v1/upload.ts';
import { uploadBatch } from '#api/v1/upload-batch.ts';
import { albumHandlers } from '#api/v2/albums.ts';
import { createLink } from '#api/v2/signed-links.ts';
import { renderHandlers } from '#api/v2/renders.ts';
import { uploadLinkHandlers } from '#api/v2/upload-links.ts';
import { uploadHandlers } from '#api/v2/uploads.ts';
import { usage } from '#api/v2/usage.ts';
import { favicon, robots, sendAsset } from '#site/pages/assets.ts';
import { clientFiles } from '#site/pages/clients.ts';
import { createDashboardApp, toDashboard } from '#console/app.ts';
import { dashboard } from '#console/handlers.ts';
import { manifest, shareWorker, toSharedUploads } from '#console/install.ts';
import { entryPaths, shareTarget } from '#console/paths.ts';
import { docsPages, openapiJson, openapiV2Json, toDocs } from '#site/docs/page.ts';
import { healthz, readyz, runChecks } from '#server/health.ts';
import { showUpload } from '#site/hosted/ask-visitor.ts';
import { album } from '#site/hosted/album.ts';
import { dropPage } from '#site/hosted/drop-page.ts';
import { hostedFile } from '#site/hosted/file.ts';
import { signedLink } from '#site/hosted/link.ts';
import { renderFile } from '#site/hosted/render-file.ts';
import { svgPreview } from '#site/hosted/svg-preview.ts';
import { oembed, sharePage } from '#site/hosted/share-page.ts';
import { deletePath } from '#http/addresses.ts';
import { landingPage } from '#site/pages/landing.ts';
import type { RouteParts } from '#server/parts.ts';
import type { Audience, Handler, Route } from '#http/route.ts';

const reading = ['GET', 'HEAD'];

export function routesOf(parts: RouteParts): Route[] {
  const { settings, guards, metrics, database, accounts, uploads } = parts;
  const api = apiHandlers(parts);
  const pages = createDashboardApp(settings.pictureOrigins);
  const clients = clientFiles({ ...settings, log: parts.log });
  const { plans } = accounts;
  const docs = docsPages({
    ...settings,
    // The documents are there while the database is not.
    readPlans: async () => (await plans.inForce(database.tables).catch(() => plans.given)).all,
  });
  return [
    ...Object.entries(api).map(([name, handler]): Route => {
      const [method, path] = methodAndPath(name);
      const endpoint: Endpoint = endpoints[name as EndpointName];
      const guard = guards.admitFor(endpoint.keys, endpoint.version);
      const methods = method === 'GET' ? reading : [method];
      return { ...endpoint, methods, path, audience: 'key', guard, handler };
    }),
    ...dashboard({ ...parts, api, runChecks: () => runChecks(parts) }),
    // The token in the query is the authentication; the handler counts wrong ones.
    to('token', deletePath, deleteUpload({ ...settings, ...uploads, guards }), {
      methods: [...reading, 'POST', 'DELETE'],
    }),

    page('/', landingPage(settings)),
    ...entryPaths.map((path) => page(path, toDashboard)),
    page('/dashboard', pages.page),
    page('/dashboard/*', pages.page),
    page('/dashboard/assets/:name', pages.asset),
    page('/dashboard/manifest.webmanifest', manifest),
    page('/dashboard/share-worker.js', shareWorker),
    page(shareTarget, toSharedUploads, { methods: [...reading, 'POST'] }),

    page('/i/:slug', sharePage(parts)),
    page('/i/:slug/show', showUpload(parts), { methods: [...reading, 'POST'] }),
    page('/a/:slug', album(parts)),
    // The token in the path is the authentication; the handler counts wrong ones.
    page('/u/:token', dropPage(parts), { methods: [...reading, 'POST'], version: 2 }),
    to('viewer', '/f/:slug', hostedFile(parts), { hasVariants: true }),
    to('viewer', '/f/:slug/preview.png', svgPreview(parts), { hasVariants: true }),
    to('viewer', '/s/:id', renderFile('/s/', parts), { hasVariants: true }),
    to('viewer', '/p/:id', renderFile('/p/', parts)),
    // A wildcard: the names of parameters have at most 100 characters.
    to('viewer', '/r/*', signedLink(parts), { version: 2 }),
    page('/oembed', oembed(parts)),
    page('/assets/:name', sendAsset),

    page('/clients/', clients.index),
    page('/clients/:name', clients.file),
    page('/openapi.json', openapiJson(settings)),
    page('/openapi-v2.json', openapiV2Json(settings)),
    page('/docs', docs),
    page('/docs/', toDocs),
    page('/docs/*', docs),
    page('/robots.txt', robots),
    page('/favicon.ico', favicon),
    page('/healthz', healthz),
    page('/readyz', readyz(parts)),
    ...(settings.metricsPort === undefined ? [page('/metrics', metrics.send)] : []),
  ];
}

/** An endpoint of the contract without a handler does not compile. */
function apiHandlers(parts: RouteParts) {
  const { settings, idempotency, database, accounts, delivery, uploads, renders } = parts;
  const uploadParts = { ...settings, ...delivery, ...uploads, database, idempotency };
  const renderParts = { ...settings, ...renders, idempotency, cell: parts.cell };
  const account = accountHandlers(parts);
  const secondRenders = renderHandlers(renderParts);
  const secondUploads = uploadHandlers(uploadParts);
  const albums = albumHandlers(uploadParts);
  const uploadLinks = uploadLinkHandlers(uploadParts);
  return {
    'POST /api/v1/upload': upload(uploadParts),
    'POST /api/v1/upload/batch': uploadBatch(uploadParts),
    'POST /api/v1/screenshot': screenshot(renderParts),
    'POST /api/v1/pdf': pdf(renderParts),
    'GET /api/account/uploads': account.uploads,
    'GET /api/account/renders': account.renders,
    'GET /api/account/usage': account.usage,
    'GET /api/v2/renders': secondRenders.list,
    'POST /api/v2/renders': secondRenders.create,
    'GET /api/v2/renders/:id': secondRenders.read,
    'DELETE /api/v2/renders/:id': secondRenders.remove,
    'POST /api/v2/links': createLink({ ...settings, ...renders, ...accounts, clock: parts.clock }),
    'GET /api/v2/uploads': secondUploads.list,
    'POST /api/v2/uploads': secondUploads.create,
    'GET /api/v2/uploads/:id': secondUploads.read,
    'PATCH /api/v2/uploads/:id': secondUploads.change,
    'DELETE /api/v2/uploads/:id': secondUploads.remove,
    'POST /api/v2/uploads/:id/restore': secondUploads.restore,
    'GET /api/v2/usage': usage(parts),
    'GET /api/v2/albums': albums.list,
    'POST /api/v2/albums': albums.create,
    'GET /api/v2/albums/:id': albums.read,
    'PATCH /api/v2/albums/:id': albums.change,
    'DELETE /api/v2/albums/:id': albums.remove,
    'GET /api/v2/upload_links': uploadLinks.list,
    'POST /api/v2/upload_links': uploadLinks.create,
    'GET /api/v2/upload_links/:id': uploadLinks.read,
    'DELETE /api/v2/upload_links/:id': uploadLinks.remove,
  } satisfies Record<EndpointName, Handler>;
}

type Further = Partial<Pick<Route, 'methods' | 'version' | 'hasVariants'>>;

/** Needs no key. */
const to = (audience: Audience, path: string, handler: Handler, further: Further = {}): Route => ({
  methods: reading,
  path,
  version: 1,
  audience,
  handler,
  ...further,
});

const page = (path: string, handler: Handler, further?: Further): Route =>
  to('anyone', path, handler, further);

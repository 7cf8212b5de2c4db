// The whole route table: methods, path, guard, handler. Every other method at a path gets a 405. Spec 4, 7.
import type { FastifyInstance } from 'fastify';
import { accountHandlers } from '#http/account/handlers.ts';
import { deleteUpload } from '#http/api/delete-upload.ts';
import { pdf } from '#http/api/pdf.ts';
import { screenshot } from '#http/api/screenshot.ts';
import { upload } from '#http/api/upload.ts';
import { uploadBatch } from '#http/api/upload-batch.ts';
import { sendAsset } from '#http/pages/assets.ts';
import { clientFiles } from '#http/pages/clients.ts';
import { createDashboardApp, toDashboard } from '#http/dashboard/app.ts';
import { dashboard } from '#http/dashboard/handlers.ts';
import { entryPaths } from '#http/dashboard/paths.ts';
import { docsPage, openapiJson } from '#http/docs/page.ts';
import { methodNotAllowed } from '#http/error-reply.ts';
import { healthz, readyz } from '#http/health.ts';
import { hostedFile } from '#http/hosted/file.ts';
import { renderFile } from '#http/hosted/render-file.ts';
import { oembed, sharePage } from '#http/hosted/share-page.ts';
import { landingPage } from '#http/pages/landing.ts';
import type { Handler, RouteParts } from '#http/parts.ts';

type AddRoute = (methods: string[], url: string, guard: Handler, handler: Handler) => void;

/** Anyone may call: these routes need no key. */
const open: Handler = async () => {};
const reading = ['GET', 'HEAD'];

export function addRoutes(route: AddRoute, parts: RouteParts): void {
  const { settings, guards, idempotency, metrics, accounts, uploads, renders } = parts;
  const uploadParts = { ...settings, ...uploads, idempotency };
  const renderParts = { ...settings, ...renders, idempotency };
  const api = {
    upload: upload(uploadParts),
    uploadBatch: uploadBatch(uploadParts),
    screenshot: screenshot(renderParts),
    pdf: pdf(renderParts),
  };
  const account = accountHandlers(parts);
  const pages = createDashboardApp(settings.pictureOrigins);

  route(['POST'], '/api/v1/upload', guards.admitFor('upload'), api.upload);
  route(['POST'], '/api/v1/upload/batch', guards.admitFor('upload'), api.uploadBatch);
  route(['POST'], '/api/v1/screenshot', guards.admitFor('render'), api.screenshot);
  route(['POST'], '/api/v1/pdf', guards.admitFor('render'), api.pdf);
  route(reading, '/api/account/uploads', guards.admitFor('upload'), account.uploads);
  route(reading, '/api/account/renders', guards.admitFor('render'), account.renders);
  route(reading, '/api/account/usage', guards.admitFor('any'), account.usage);
  // The token in the query is the authentication; the handler counts wrong ones.
  route(
    [...reading, 'POST', 'DELETE'],
    '/api/uploads/:id/delete',
    open,
    deleteUpload({ ...settings, ...uploads, guards }),
  );

  // dashboard/contract.ts says who may call which of these.
  for (const { methods, url, handler } of dashboard({ ...parts, api })) route(methods, url, open, handler);

  route(reading, '/', open, landingPage(settings));
  for (const url of entryPaths) route(reading, url, open, toDashboard);
  route(reading, '/dashboard', open, pages.page);
  route(reading, '/dashboard/*', open, pages.page);
  route(reading, '/dashboard/assets/:name', open, pages.asset);

  route(reading, '/i/:slug', open, sharePage(parts));
  route(reading, '/f/:slug', open, hostedFile(parts));
  route(reading, '/s/:id', open, renderFile('screenshot', parts));
  route(reading, '/p/:id', open, renderFile('pdf', parts));
  route(reading, '/oembed', open, oembed(parts));
  route(reading, '/assets/:name', open, sendAsset);

  route(reading, '/clients/:name', open, clientFiles());
  route(reading, '/openapi.json', open, openapiJson(settings));
  route(reading, '/docs', open, docsPage({ ...settings, plans: accounts.plans.all }));
  route(reading, '/healthz', open, healthz);
  route(reading, '/readyz', open, readyz(parts));
  route(reading, '/metrics', open, metrics.send);
}

/** Adds routes to the application and records the methods of each path. */
export function createRouter(app: () => FastifyInstance) {
  const methodsByUrl = new Map<string, string[]>();
  return {
    methodsAt: (path: string): string[] | undefined => methodsByUrl.get(path),
    add(methods: string[], url: string, guard: Handler, handler: Handler): void {
      methodsByUrl.set(url, methods);
      app().route({ method: methods, url, onRequest: guard, handler });
      app().route({
        method: app().supportedMethods.filter((method) => !methods.includes(method)),
        url,
        onRequest: async (_request, reply) => {
          reply.header('allow', methods.join(', '));
          throw methodNotAllowed(methods);
        },
        handler: async () => {},
      });
    },
  };
}

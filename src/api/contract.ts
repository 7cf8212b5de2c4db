// Every endpoint for API keys. Routes (routes.ts), the operations of both OpenAPI documents and of /docs, the errors' form, the request log
// and the hints for mistyped paths follow from it: an endpoint without a handler or without a description does not compile. Spec 4, 10.
import type { Version } from '#core/errors.ts';
import type { RequestKind } from '#storage/schema.ts';
import type { KeyUse } from '#accounts/authenticate.ts';

export interface Endpoint {
  version: Version;
  /** What a key must be allowed to do. */
  keys: KeyUse;
  /** What the request log, the charts and the metrics call it; without a kind it is not in the log. */
  kind?: RequestKind;
}

/** GET answers HEAD too. */
export const endpoints = {
  'POST /api/v1/upload': { version: 1, keys: 'upload', kind: 'upload' },
  'POST /api/v1/upload/batch': { version: 1, keys: 'upload', kind: 'upload' },
  'POST /api/v1/screenshot': { version: 1, keys: 'render', kind: 'render' },
  'POST /api/v1/pdf': { version: 1, keys: 'render', kind: 'render' },

  'GET /api/account/uploads': { version: 1, keys: 'upload' },
  'GET /api/account/renders': { version: 1, keys: 'render' },
  'GET /api/account/usage': { version: 1, keys: 'any' },

  'GET /api/v2/renders': { version: 2, keys: 'render', kind: 'read' },
  'POST /api/v2/renders': { version: 2, keys: 'render', kind: 'render' },
  'GET /api/v2/renders/:id': { version: 2, keys: 'render', kind: 'read' },
  'DELETE /api/v2/renders/:id': { version: 2, keys: 'render', kind: 'change' },
  // Signs an address and stores nothing.
  'POST /api/v2/links': { version: 2, keys: 'render', kind: 'read' },
  'GET /api/v2/uploads': { version: 2, keys: 'upload', kind: 'read' },
  'POST /api/v2/uploads': { version: 2, keys: 'upload', kind: 'upload' },
  'GET /api/v2/uploads/:id': { version: 2, keys: 'upload', kind: 'read' },
  'PATCH /api/v2/uploads/:id': { version: 2, keys: 'upload', kind: 'change' },
  'DELETE /api/v2/uploads/:id': { version: 2, keys: 'upload', kind: 'change' },
  'POST /api/v2/uploads/:id/restore': { version: 2, keys: 'upload', kind: 'change' },
  'GET /api/v2/usage': { version: 2, keys: 'any', kind: 'read' },
  'GET /api/v2/albums': { version: 2, keys: 'upload', kind: 'read' },
  'POST /api/v2/albums': { version: 2, keys: 'upload', kind: 'change' },
  'GET /api/v2/albums/:id': { version: 2, keys: 'upload', kind: 'read' },
  'PATCH /api/v2/albums/:id': { version: 2, keys: 'upload', kind: 'change' },
  'DELETE /api/v2/albums/:id': { version: 2, keys: 'upload', kind: 'change' },
  'GET /api/v2/upload_links': { version: 2, keys: 'upload', kind: 'read' },
  'POST /api/v2/upload_links': { version: 2, keys: 'upload', kind: 'change' },
  'GET /api/v2/upload_links/:id': { version: 2, keys: 'upload', kind: 'read' },
  'DELETE /api/v2/upload_links/:id': { version: 2, keys: 'upload', kind: 'change' },
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof endpoints;

/** The names of a version's endpoints. */
export type EndpointOf<V extends Version> = {
  [Name in EndpointName]: (typeof endpoints)[Name]['version'] extends V ? Name : never;
}[EndpointName];

/** `['GET', '/api/v2/renders']` for `GET /api/v2/renders`. */
export const methodAndPath = (name: string): [method: string, path: string] => {
  const [method = '', path = ''] = name.split(' ');
  return [method, path];
};

/** The paths that the request log has. */
export const loggedPaths: string[] = [
  ...new Set(
    Object.entries<Endpoint>(endpoints).flatMap(([name, { kind }]) =>
      kind === undefined ? [] : [methodAndPath(name)[1]],
    ),
  ),
];

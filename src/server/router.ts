// Knows the routes by path alone, for requests whose method has no route, and says how a path without a route is answered.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import findMyWay from 'find-my-way';
import type { Place, Route } from '#http/route.ts';

/** Adds routes to the application, and knows them by path alone. */
export function createRouter(app: () => FastifyInstance) {
  // Fastify's own router has a tree for each of 35 methods: a route of every other method at every path would take longer at start than
  // all the rest of the server.
  const tree = findMyWay();
  const places = new Map<string, Place>();
  const areas = new Map<string, Place>();
  const endpointPaths: string[] = [];

  function at(target: string): Place {
    const found = tree.find('GET', target);
    const place = found?.store as Place | null | undefined;
    if (place && isComplete(place, found?.params)) return place;
    const [area, isApi] = areaOf(target);
    return areas.get(area) ?? { path: undefined, methods: [], version: 1, audience: 'anyone', isApi };
  }

  function know({ methods, path, version, audience, hasVariants = false }: Route): void {
    const known = places.get(path);
    if (known) {
      known.methods.push(...methods);
      return;
    }
    const [area, isApi] = areaOf(path);
    const place: Place = { path, methods: [...methods], version, audience, hasVariants, isApi };
    places.set(path, place);
    if (!areas.has(area)) areas.set(area, { ...place, path: undefined, methods: [] });
    tree.on('GET', path, () => {}, place);
    if (audience === 'key' && !path.includes(':')) endpointPaths.push(path);
  }

  return {
    /** The paths of endpoints for keys, without parameters. */
    endpointPaths,

    add(route: Route): void {
      const { methods, path, kind, guard, handler } = route;
      know(route);
      app().route({
        method: methods,
        url: path,
        handler,
        ...(guard && { onRequest: guard }),
        ...(kind && { config: { kind } }),
      });
    },

    /** The target of a request line. A path without a route is answered as those that begin like it. */
    at,

    /** The place of a request that has come to the application's own router. */
    of({ url, is404, routeOptions, params }: FastifyRequest): Place {
      const place = is404 ? undefined : places.get(routeOptions.url ?? '');
      return place && isComplete(place, params) ? place : at(url);
    },
  };
}

/** `/api/v2/renders/` is not a render without an id. */
const isComplete = ({ audience }: Place, params: unknown): boolean =>
  audience !== 'key' || !Object.values(params as Record<string, string>).includes('');

/**
 * What a path begins with: `/api/v2`, `/u/`. Its names are decoded as the router decodes them, and the target may have a host.
 * RFC 9112 3.2.2.
 */
function areaOf(target: string): [area: string, isApi: boolean] {
  const [path = ''] = target.replace(/^https?:\/\/[^/]*/i, '').split('?', 1);
  const [, first = '', second] = path.split('/', 3).map(decoded);
  if (second === undefined) return [`/${first}`, first === 'api'];
  return first === 'api' ? [`/api/${second}`, true] : [`/${first}/`, false];
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

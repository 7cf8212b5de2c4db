// Style sheets, scripts and pictures of the server-rendered pages. Their names contain their hash, so they never change.
import { createHash } from 'node:crypto';
import { extname, join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '#core/errors.ts';
import { root } from '#core/programs.ts';
import {
  createStaticFile,
  neverChanges,
  readStaticFolder,
  sendStaticFile,
  type StaticFile,
} from '#site/pages/static-files.ts';

const served = new Map<string, StaticFile>();
const servedNames = new Map<string, string>();

// Style sheets come last: they refer to other assets, whose served names must be known by then.
const isSheet = ([name]: [string, StaticFile]): boolean => name.endsWith('.css');
const found = [...readStaticFolder(join(root, 'src', 'site', 'pages', 'assets'))];
for (const [name, read] of [...found.filter((entry) => !isSheet(entry)), ...found.filter(isSheet)]) {
  const extension = extname(name);
  const file = isSheet([name, read]) ? withServedNames(read) : read;
  const hash = createHash('sha256').update(file.bytes).digest('base64url').slice(0, 10);
  const servedName = `${name.slice(0, -extension.length)}.${hash}${extension}`;
  served.set(servedName, file);
  servedNames.set(name, servedName);
}

function withServedNames({ type, bytes }: StaticFile): StaticFile {
  const text = bytes
    .toString()
    .replaceAll(/'\.\/([a-z]+\.[a-z0-9]+)'/g, (_, name: string) => `'${assetUrl(name)}'`);
  return createStaticFile(type, Buffer.from(text));
}

/** The path of an asset, for use in a page. */
export function assetUrl(name: string): string {
  const servedName = servedNames.get(name);
  if (servedName === undefined) throw new Error(`there is no asset ${name}`);
  return `/assets/${servedName}`;
}

export async function sendAsset(request: FastifyRequest, reply: FastifyReply) {
  const asset = served.get((request.params as { name: string }).name);
  if (!asset) throw notFound();
  return sendStaticFile(request, reply.headers(neverChanges), asset);
}

/** An asset as it is in the folder, for an address of its own. */
export const assetNamed = (wanted: string): StaticFile => found.find(([name]) => name === wanted)![1];

/** For programs that ask for this name without having read a page. */
export const favicon = async (request: FastifyRequest, reply: FastifyReply) =>
  sendStaticFile(request, reply, assetNamed('icon.svg'));

/** Share pages are not listed: they are `noindex`, which a crawler must be able to read, and previews of chats respect this file. */
const robotsFile = createStaticFile(
  'text/plain; charset=utf-8',
  Buffer.from('User-agent: *\nDisallow: /api/\nDisallow: /dashboard\n'),
);

export const robots = async (request: FastifyRequest, reply: FastifyReply) =>
  sendStaticFile(request, reply, robotsFile);

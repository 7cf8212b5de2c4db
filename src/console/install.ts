// What makes the dashboard installable on phones, where people can then share pictures and addresses with it. Decision 79.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { imageNames } from '#uploads/image-types.ts';
import { sharedUploads, shareTarget } from '#console/paths.ts';
import { assetNamed, assetUrl } from '#site/pages/assets.ts';
import { createStaticFile, sendStaticFile } from '#site/pages/static-files.ts';

/** While the app starts. Then its pages set their own, which follows the theme. */
const [, paper] = /--paper: light-dark\((#[0-9a-f]{6}),/.exec(assetNamed('tokens.css').bytes.toString())!;

const manifestFile = createStaticFile(
  'application/manifest+json',
  Buffer.from(
    JSON.stringify({
      id: '/dashboard',
      name: 'Tintype',
      description: 'Your pictures, screenshots and PDFs, and their links.',
      start_url: '/dashboard',
      scope: '/dashboard',
      display: 'standalone',
      background_color: paper,
      theme_color: paper,
      icons: [
        { src: assetUrl('icon-192.png'), sizes: '192x192', type: 'image/png' },
        { src: assetUrl('icon-512.png'), sizes: '512x512', type: 'image/png' },
        { src: assetUrl('icon-maskable.png'), sizes: '512x512', type: 'image/png', purpose: 'maskable' },
      ],
      share_target: {
        action: shareTarget,
        method: 'POST',
        enctype: 'multipart/form-data',
        params: {
          title: 'title',
          text: 'text',
          url: 'url',
          files: [{ name: 'file', accept: Object.keys(imageNames) }],
        },
      },
    }),
  ),
);

/** Looked for again each time: neither has a name that changes with its content. */
const checkedAgain = { 'cache-control': 'no-cache' };

export const manifest = async (request: FastifyRequest, reply: FastifyReply) =>
  sendStaticFile(request, reply.headers(checkedAgain), manifestFile);

/** It requests nothing, and its own policy holds it to that. */
export const shareWorker = async (request: FastifyRequest, reply: FastifyReply) =>
  sendStaticFile(
    request,
    reply.headers({ ...checkedAgain, 'content-security-policy': "default-src 'none'" }),
    assetNamed('share-worker.js'),
  );

/** A share that the worker did not take. Its body is not read: without the worker nobody could be asked before the upload. */
export const toSharedUploads = async (_request: FastifyRequest, reply: FastifyReply) =>
  reply.header('cache-control', 'no-store').redirect(sharedUploads, 303);

// /api/uploads/<id>/delete?token=…: deletes without further authentication, by any method that is a request: Spec 3 says "a request
// deletes". A person who follows the link is asked first, and known link previews delete nothing. Spec 3, 5.5.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { UploadRow } from '#storage/schema.ts';
import type { HostedUploads } from '#uploads/hosted-uploads.ts';
import type { UploadAccess } from '#uploads/upload-access.ts';
import type { Guards } from '#http/guards.ts';
import { ticketQuery, withQuery } from '#site/hosted/tickets.ts';
import { html, sendPage, wantsHtml } from '#site/pages/page.ts';
import { filePath, sharePath } from '#http/addresses.ts';
import { answerNotFound } from '#site/pages/not-found.ts';

/** User agents of programs that fetch every link they see. */
const previewBots = [
  /bot\b|crawl|spider|slurp|preview|unfurl|onebox|-scrap/i,
  // Networks and chats that name only themselves.
  /facebookexternalhit|meta-external|whatsapp|viber|line-poker|kakaotalk|snapchat|tumblr|pinterest|flipboard|quora|xing-|vkshare/i,
  /skypeuri|outlook|slack-imgproxy|mattermost|rocket\.chat|zulip|synapse|nextcloud|mastodon|pleroma|akkoma|misskey|lemmy|friendica|cardyb/i,
  // Services that fetch links for others, and filters of mail.
  /embedly|iframely|metainspector|nuzzel|barracuda|proofpoint|mimecast/i,
  /googleimageproxy|google-(?:read-aloud|pagerenderer|inspectiontool|safety)|(?:apis|mediapartners|feedfetcher)-google/i,
];

export interface DeleteParts {
  hostedUploads: HostedUploads;
  uploadAccess: UploadAccess;
  guards: Guards;
  /** Other hosts that the picture on the confirmation page may come from. */
  pictureOrigins: string[];
}

export function deleteUpload({ hostedUploads, uploadAccess, guards, pictureOrigins }: DeleteParts) {
  /** A client that may delete it may see it. */
  const thumbnailOf = (upload: UploadRow): string =>
    withQuery(filePath(upload.slug), 'width=640', ticketQuery(uploadAccess.ticketFor(upload)));

  return async (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    const { id } = request.params as { id: string };
    const { token } = request.query as { token?: string | string[] };
    const upload = typeof token === 'string' ? await hostedUploads.byDeleteToken(id, token) : undefined;
    if (!upload) return refuse(request, reply);
    guards.showAddressBudget(request, reply);

    if (request.method === 'HEAD') return reply.send();
    if (request.method === 'GET' && (wantsHtml(request) || isAutomatic(request)))
      return sendConfirmation(reply, upload, thumbnailOf(upload), pictureOrigins);
    if (!(await hostedUploads.delete(upload))) return refuse(request, reply);
    if (wantsHtml(request)) return sendDeletedPage(reply);
    return reply.send({ id: upload.id, deleted: true });
  };

  /** Wrong token, unknown, deleted and expired get the same answer. */
  function refuse(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    guards.refuseGuess(request, reply);
    return answerNotFound(request, reply, ' It was deleted, has expired, or the token is wrong.');
  }
}

function isAutomatic({ headers }: FastifyRequest): boolean {
  const purpose = [headers['sec-purpose'], headers['purpose'], headers['x-moz'], headers['x-purpose']].join(
    ' ',
  );
  const agent = headers['user-agent'] ?? '';
  return /prefetch|prerender|preview/i.test(purpose) || previewBots.some((names) => names.test(agent));
}

function sendConfirmation(
  reply: FastifyReply,
  upload: UploadRow,
  thumbnail: string,
  pictureOrigins: string[],
): FastifyReply {
  return sendPage(reply, {
    title: 'Delete this picture?',
    pictureOrigins,
    body: html`<main class="card">
      <img class="thumbnail" src="${thumbnail}" alt="" />
      <h1>Delete this picture?</h1>
      <p>
        Links to <strong dir="auto">${upload.filename}</strong> stop working at once; browsers that showed it
        may keep their copy for up to five minutes. This cannot be undone.
      </p>
      <form method="post">
        <button class="button danger">Delete it</button>
        <a class="button" href="${sharePath(upload.slug)}">Keep it</a>
      </form>
    </main>`,
  });
}

function sendDeletedPage(reply: FastifyReply): FastifyReply {
  return sendPage(reply, {
    title: 'Deleted',
    body: html`<main class="card">
      <h1>Deleted</h1>
      <p>
        The picture is deleted and its links no longer work. Browsers that showed it may keep their copy for
        up to five minutes.
      </p>
    </main>`,
  });
}

// The page that asks for the password of an upload, or whether to use one of its views, and POST /i/<slug>/show, which answers it. Only a
// person presses the button: previews, prefetches and HEAD never use up a view. Spec 10.11.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '#core/errors.ts';
import { isName } from '#core/ids.ts';
import type { UploadRow } from '#storage/schema.ts';
import type { HostedUploads } from '#uploads/hosted-uploads.ts';
import type { UploadsRoom } from '#uploads/room.ts';
import { readAll } from '#http/body/json-body.ts';
import { addressSubject, networksOf, type Guards } from '#http/guards.ts';
import { notStored } from '#site/hosted/send-blob.ts';
import { ticketCookie, ticketInCookie } from '#site/hosted/tickets.ts';
import { sharePath, showPath } from '#http/addresses.ts';
import { answerNotFound } from '#site/pages/not-found.ts';
import { html, sendPage } from '#site/pages/page.ts';

/** From one client address: for all uploads, and for one of them. */
const attemptsPerMinute = { address: 60, upload: 10 };

const slugOf = (request: FastifyRequest): string => (request.params as { slug: string }).slug;

/** Answers a visitor who holds no ticket: asks, or says that there is nothing. */
export function askVisitor(hostedUploads: HostedUploads) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const upload = await hostedUploads.lockedBySlug(slugOf(request));
    return upload ? sendQuestion(reply, upload) : answerNotFound(request, reply);
  };
}

interface ShowParts {
  guards: Guards;
  settings: { baseUrl: string };
  uploads: Pick<UploadsRoom, 'hostedUploads' | 'uploadAccess'>;
}

export function showUpload({ guards, settings, uploads }: ShowParts) {
  const { hostedUploads, uploadAccess } = uploads;

  async function show(request: FastifyRequest, reply: FastifyReply, upload: UploadRow) {
    const { slug } = upload;
    const address = addressSubject(request.ip);
    guards.spend(reply, `show ${address}`, attemptsPerMinute.address);
    guards.spend(reply, `show ${address} ${slug}`, attemptsPerMinute.upload);
    const form = new URLSearchParams((await readAll(request.raw)).toString());
    const shown = await uploadAccess.show(upload, form.get('password') ?? '', networksOf(request.ip));
    if (shown === 'gone') return answerNotFound(request, reply);
    if (shown === 'wrong password')
      return sendQuestion(reply.code(403), upload, 'This is not the password. Try again.');
    return reply
      .header('cache-control', notStored)
      .header('set-cookie', ticketCookie(slug, shown.ticket, settings))
      .redirect(sharePath(slug), 303);
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const slug = slugOf(request);
    if (!isName(slug)) return answerNotFound(request, reply);
    const ticket = ticketInCookie(request);
    const isPressed = request.method === 'POST';
    const upload = isPressed ? await hostedUploads.lockedBySlug(slug, ticket) : undefined;
    // Others may just have used up the last view. The page could not say so: a redirect to it looks as if the visitor was let in.
    if (!upload && isPressed && !(await hostedUploads.bySlug(slug, ticket)))
      return answerNotFound(request, reply);
    // A visitor who comes here by hand, or need not ask, belongs on the page.
    if (!upload) return reply.header('cache-control', notStored).redirect(sharePath(slug), 303);
    return show(request, reply, upload).catch((error: unknown) => {
      if (!(error instanceof ServiceError) || error.code !== 'rate_limited') throw error;
      const { status, retryAfterSeconds = 1 } = error;
      return sendQuestion(
        reply.code(status).header('retry-after', retryAfterSeconds),
        upload,
        `Too many attempts. Try again in ${retryAfterSeconds} s.`,
      );
    });
  };
}

/** Says nothing of the upload: neither its name nor its size. */
function sendQuestion(reply: FastifyReply, upload: UploadRow, problem?: string): FastifyReply {
  const { slug, password_hash, views_left } = upload;
  const title = password_hash === null ? 'Show this picture?' : 'This picture has a password';
  return sendPage(reply.header('cache-control', notStored), {
    title,
    body: html`<main class="card">
      <h1>${title}</h1>
      ${
        views_left !== null &&
        html`<p>It can be shown only a limited number of times. Showing it now uses one of them.</p>`
      }
      <form method="post" action="${showPath(slug)}">
        ${
          password_hash !== null &&
          html`<label class="field"
            >Password
            <input
              type="password"
              name="password"
              required
              autofocus
              autocomplete="current-password"
              maxlength="200"
              ${problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`}
          /></label>`
        }
        ${problem !== undefined && html`<p class="problem" id="problem" role="alert">${problem}</p>`}
        <button class="button primary">Show</button>
      </form>
    </main>`,
  });
}

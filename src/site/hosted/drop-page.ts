// GET /u/<token>: a page to drop files on. POST: takes one file, for everybody who has the token. The owner of the link pays, and the
// sender learns nothing of the owner's account. v2 3.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ServiceError, toServiceError } from '#core/errors.ts';
import type { Clock } from '#core/clock.ts';
import type { LinkHolder } from '#storage/tables/upload-links.ts';
import { callerFor } from '#accounts/authenticate.ts';
import type { AccountsRoom } from '#accounts/room.ts';
import { imageNames } from '#uploads/image-types.ts';
import { linkUsedUp } from '#uploads/upload-links.ts';
import type { UploadsRoom } from '#uploads/room.ts';
import { storedOf } from '#api/answer-upload.ts';
import { strict } from '#api/fields.ts';
import { formOf } from '#api/v2/upload-form.ts';
import type { Upload } from '#api/v2/upload-schemas.ts';
import { uploadOf } from '#api/v2/uploads.ts';
import { readUploadForm } from '#http/body/upload-form.ts';
import { hangUpSignal } from '#http/connection/hang-up.ts';
import { addressSubject, type Guards } from '#http/guards.ts';
import { readableSize, remaining, time } from '#site/hosted/share-page.ts';
import { answerNotFound } from '#site/pages/not-found.ts';
import { html, sendPage, wantsHtml, type Html } from '#site/pages/page.ts';
import type { Addresses } from '#http/addresses.ts';

/** Files that one client address may send in a minute, through all links. */
export const filesPerMinute = 120;

/** A form has the file and nothing else: how it is stored is for the owner to say. */
const noFields = Type.Object({}, strict);

interface DropParts {
  clock: Clock;
  settings: Addresses;
  guards: Guards;
  accounts: Pick<AccountsRoom, 'plans'>;
  uploads: Pick<UploadsRoom, 'uploadLinks' | 'uploadStore' | 'uploadBlobs'>;
}

export function dropPage({ clock, settings, guards, accounts, uploads }: DropParts) {
  const { uploadLinks, uploadStore, uploadBlobs } = uploads;

  return async (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    // The token is all the authority there is, so pages of every origin may send files; none can send a cookie along.
    if (request.method === 'POST') reply.header('access-control-allow-origin', '*');
    const link = await uploadLinks.byToken((request.params as { token: string }).token);
    if (!link) {
      guards.refuseGuess(request, reply);
      return answerNotFound(request, reply);
    }
    return request.method === 'POST' ? take(request, reply, link) : show(reply, link);
  };

  function show(reply: FastifyReply, link: LinkHolder): FastifyReply {
    if (link.used_files >= link.max_files) return sendNotice(reply, 404, linkUsedUp(link).message);
    return sendPage(reply, {
      title: link.title ?? 'Send pictures',
      body: dropZone(link, clock.now()),
      scripts: ['share.js', 'drop.js'],
      isSending: true,
    });
  }

  async function take(request: FastifyRequest, reply: FastifyReply, link: LinkHolder): Promise<FastifyReply> {
    try {
      guards.spend(reply, `upload links ${addressSubject(request.ip)}`, filesPerMinute);
      const upload = await store(request, reply, link);
      if (!wantsHtml(request)) return await reply.code(201).send(upload);
      return sendNotice(reply, 201, 'Thank you: your picture has arrived.');
    } catch (error) {
      // Without script, a person sees this.
      const failure = withoutAccount(toServiceError(error));
      if (!wantsHtml(request) || failure.code === 'internal') throw failure;
      return sendNotice(reply, failure.status, failure.message);
    }
  }

  async function store(request: FastifyRequest, reply: FastifyReply, link: LinkHolder): Promise<Upload> {
    if (link.used_files >= link.max_files) throw linkUsedUp(link);
    const owner = callerFor(link, null, accounts.plans);
    request.caller = owner;
    const rules = formOf({ fields: noFields, maxBytes: link.max_bytes });
    await using form = await readUploadForm(request.raw, uploadBlobs, link.account_id, rules);
    const { answer } = await uploadStore.storeUploads(
      owner,
      form.files,
      {
        ...form.options,
        albumId: link.album_id ?? undefined,
        signal: hangUpSignal(request, reply),
        admit: (tables, rows) => uploadLinks.take(tables, link, rows),
      },
      async (outcomes) => uploadOf(settings, storedOf(outcomes).row),
    );
    return answer;
  }
}

/** The plan and the album are the owner's business. */
function withoutAccount(failure: ServiceError): ServiceError {
  const { code, details, cause } = failure;
  if (code === 'quota_exceeded')
    return new ServiceError(code, 'Whoever made this link cannot take more files this month.', { cause });
  if (details.field === 'album')
    return new ServiceError('not_found', 'The album of this link cannot take more files.', { cause });
  return failure;
}

function sendNotice(reply: FastifyReply, status: number, message: string): FastifyReply {
  return sendPage(reply.code(status), {
    title: 'Send pictures',
    body: html`<main class="card">
      <h1>Send pictures</h1>
      <p>${message}</p>
    </main>`,
  });
}

function dropZone(link: LinkHolder, now: number): Html {
  const left = link.max_files - link.used_files;
  const many = left === 1 ? 'One picture' : `Up to ${left} pictures`;
  return html`<main class="card drop">
    <h1 dir="auto">${link.title ?? 'Send pictures'}</h1>
    <p class="quiet">
      ${many} of at most ${readableSize(link.max_bytes)}${left > 1 && ' each'}, until ${time(link.expires_at)}
      (${remaining(link.expires_at - now)}).
    </p>
    <form method="post" enctype="multipart/form-data" data-left="${left}" data-bytes="${link.max_bytes}">
      <label class="zone"
        ><input type="file" name="file" accept="${Object.keys(imageNames).join(',')}" required /><span
          ><strong>Choose pictures</strong><span class="wide-only"> or drop them here</span></span
        ></label
      >
      <button class="button primary">Send</button>
    </form>
    <ul class="sent" aria-live="polite"></ul>
    <p class="quiet small">Place, camera and time are removed from the files.</p>
  </main>`;
}

// GET /r/<link key>/<payload>/<signature>: the result of a signed request, without a key. It is made once for everyone, and the last
// good one is served while no new one can be made. Spec 10.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound, ServiceError } from '#core/errors.ts';
import { createPhases } from '#core/phases.ts';
import type { Clock } from '#core/clock.ts';
import type { Caller } from '#accounts/authenticate.ts';
import type { AccountsRoom } from '#accounts/room.ts';
import type { LinkResult } from '#renders/cached-renders.ts';
import { RecalledFailure } from '#renders/flights.ts';
import { outputFiles } from '#renders/output-files.ts';
import { outputsOf, receiptOf } from '#renders/stored-render.ts';
import type { RendersRoom } from '#renders/room.ts';
import type { InstallationSettings } from '#api/v2/fields/row.ts';
import { lowerLink, parsePayload, type LoweredLink } from '#api/v2/lower-link.ts';
import { hangUpSignal } from '#http/connection/hang-up.ts';
import { replyWithError } from '#http/error-reply.ts';
import { outputFilename } from '#site/hosted/render-file.ts';
import { sendBlob } from '#site/hosted/send-blob.ts';
import type { Guards } from '#http/guards.ts';

/** How long a client may keep what is older than it should be, and a failure: as long as the service remembers one. */
const briefSeconds = 60;

interface LinkParts {
  settings: InstallationSettings;
  clock: Clock;
  guards: Guards;
  accounts: Pick<AccountsRoom, 'linkKeys'>;
  renders: Pick<RendersRoom, 'cachedRenders' | 'cacheKeyOf' | 'renderBlobs'>;
}

export function signedLink({ settings, clock, guards, accounts, renders }: LinkParts) {
  const { cachedRenders, cacheKeyOf, renderBlobs } = renders;

  return async (request: FastifyRequest, reply: FastifyReply) => {
    const [key = '', payload = '', signature = '', more] = (request.params as { '*': string })['*'].split(
      '/',
    );
    const payer = more === undefined ? await accounts.linkKeys.verify(key, payload, signature) : undefined;
    if (!payer) {
      guards.refuseGuess(request, reply);
      throw notFound();
    }
    const link = lowerLink(parsePayload(payload), settings);
    if (link.validUntil !== null && link.validUntil <= clock.now()) throw ended(link.validUntil);
    try {
      return await send(request, reply, link, await resultOf(request, reply, payer, link));
    } catch (error) {
      return replyWithError(error, request, reply, failureControl(error));
    }
  };

  async function resultOf(
    request: FastifyRequest,
    reply: FastifyReply,
    payer: Caller,
    { render, maxAgeMs }: LoweredLink,
  ): Promise<LinkResult> {
    const cacheKey = await cacheKeyOf(payer, render.job);
    const asked = { ...render, cacheKey, maxAgeMs };
    return cachedRenders.forLink(payer, asked, hangUpSignal(request, reply), createPhases());
  }

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    link: LoweredLink,
    { row, cache }: LinkResult,
  ): Promise<FastifyReply> {
    const [output] = outputsOf(row);
    if (!output) throw new Error(`the render ${row.id} has no output`);
    const { page } = receiptOf(row);
    const { contentType, sizeBytes, sha256, format } = output;
    const finishedAt = row.finished_at ?? row.created_at;
    const headers = {
      'x-service-cache': cache,
      'x-service-id': row.id,
      ...(page !== null && page.status !== null && { 'x-service-page-status': page.status }),
      'x-service-warnings': page?.warnings.length ?? 0,
    };
    reply.headers(headers);
    const blob = {
      row: {
        id: output.id,
        content_type: contentType,
        size_bytes: sizeBytes,
        sha256,
        created_at: finishedAt,
        expires_at: null,
      },
      filename: outputFilename(row, format),
      // Never by redirect: the address in an <img> or a social card has to answer itself.
      blobs: { open: renderBlobs.open },
      isAttachment: outputFiles[format].isAttachment,
      readSmall: renderBlobs.readSmall,
      cacheControl: `public, max-age=${secondsLeft(link, cache, finishedAt)}`,
    };
    try {
      return await sendBlob(request, reply, blob, clock.now());
    } catch (error) {
      for (const name of Object.keys(headers)) reply.removeHeader(name);
      // The store has lost the bytes: the next request renders again.
      if (error instanceof ServiceError && error.code === 'not_found') await cachedRenders.forget(row);
      throw error;
    }
  }

  /** What is left of the result's time, and not more than is left of the link's. */
  function secondsLeft(
    { maxAgeMs, validUntil }: LoweredLink,
    cache: LinkResult['cache'],
    finishedAt: number,
  ): number {
    const now = clock.now();
    const left = cache === 'stale' ? briefSeconds * 1000 : finishedAt + maxAgeMs - now;
    return Math.max(0, Math.floor(Math.min(left, (validUntil ?? Infinity) - now) / 1000));
  }

  /** A failure of the page or of the quota lasts for a while, so it need not be asked for again at once. */
  function failureControl(error: unknown): string | undefined {
    if (!(error instanceof ServiceError) || error.retryAfterSeconds !== undefined) return undefined;
    if (!['render_failed', 'quota_exceeded'].includes(error.code)) return undefined;
    const leftMs = error instanceof RecalledFailure ? error.until - clock.now() : briefSeconds * 1000;
    return `public, max-age=${Math.max(1, Math.ceil(leftMs / 1000))}`;
  }
}

const ended = (at: number): ServiceError =>
  new ServiceError('not_found', `this link ended at ${new Date(at).toISOString()}.`, {
    details: { field: 'valid_until' },
  });

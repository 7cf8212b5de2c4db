// /api/v2/renders and /api/v2/renders/{id}: render now or later, read, list, cancel and delete. Spec 10.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '#core/errors.ts';
import { isId } from '#core/ids.ts';
import type { Cell } from '#cell/cell.ts';
import type { Blobs } from '#storage/blobs.ts';
import { outputFiles } from '#renders/output-files.ts';
import type { RenderHistory } from '#renders/render-history.ts';
import type { StoredRender } from '#renders/stored-render.ts';
import type { CacheKeyOf } from '#renders/cache-key.ts';
import type { CacheHit } from '#renders/results.ts';
import type { RenderWaits } from '#renders/render-waits.ts';
import { sendAnswer, type Answer } from '#http/answer.ts';
import { bytesAnswer, jsonAnswer, queueRender, runRender, type RenderParts } from '#api/run-render.ts';
import { timesOf } from '#api/v2/created-between.ts';
import type { InstallationSettings } from '#api/v2/fields/row.ts';
import { lowerRequest } from '#api/v2/lower-request.ts';
import { receiptOf } from '#api/v2/receipt.ts';
import { readRenderBody } from '#api/v2/render-body.ts';
import { RenderQuery, RendersQuery, type Render } from '#api/v2/schemas.ts';
import { sendJson } from '#api/v2/send-json.ts';
import { hangUpSignal } from '#http/connection/hang-up.ts';
import { callerOf, networksOf } from '#http/guards.ts';
import { readQuery } from '#http/query.ts';

export interface RendersParts extends RenderParts, InstallationSettings {
  cacheKeyOf: CacheKeyOf;
  renderHistory: RenderHistory;
  renderWaits: RenderWaits;
  renderBlobs: Blobs;
  cell: Cell;
}

const idOf = (request: FastifyRequest): string => (request.params as { id: string }).id;

export function renderHandlers(parts: RendersParts) {
  const { renderHistory, renderJobs, renderWaits, renderBlobs, cell, cacheKeyOf, contentBaseUrl } = parts;

  const create = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    sendAnswer(request, reply, await render(request, reply));

  /** What came with the request is gone when this returns: the client may take its time to read the answer. */
  async function render(request: FastifyRequest, reply: FastifyReply): Promise<Answer> {
    const caller = callerOf(request);
    const { accountId } = caller;
    await using body = await readRenderBody({ blobs: renderBlobs, cell }, request.raw, {
      accountId,
      networks: networksOf(request.ip),
      signal: hangUpSignal(request, reply),
    });
    const { given, digest, files, fileDigests, document } = body;
    const lowered = lowerRequest(given, files, parts, document);
    const maxAgeMs = (given.max_age ?? 0) * 1000;
    const cacheKey = maxAgeMs > 0 ? await cacheKeyOf(caller, lowered.job, fileDigests) : undefined;
    const asked = { content: { given: digest, files: fileDigests }, sizeBytes: body.sizeBytes };
    const cache =
      cacheKey === undefined
        ? undefined
        : { key: cacheKey, maxAgeMs, toAnswer: (hit: CacheHit) => hitAnswer(hit, lowered, contentBaseUrl) };
    const answer = given.async === true ? await queue() : await runNow();
    const isRepeat = 'idempotent-replayed' in answer.headers;
    return isRepeat && 'body' in answer ? await withTexts(answer, accountId) : answer;

    function queue(): Promise<Answer> {
      const render = cacheKey === undefined ? lowered : { ...lowered, cacheKey };
      const job = { request: render, given, webhookUrl: given.webhook_url };
      return queueRender(parts, request, reply, { ...asked, job, cache }, (accepted) =>
        receiptOf(accepted, contentBaseUrl),
      );
    }

    function runNow(): Promise<Answer> {
      return runRender(parts, request, reply, { ...asked, render: lowered, cache }, (finished) =>
        finished.bytes
          ? bytesAnswer(finished, headersOf(finished, 'miss'))
          : jsonAnswer(finished, receiptOf(finished, contentBaseUrl)),
      );
    }
  }

  /** Those of a render that was deleted or has expired are gone. */
  async function withTexts(answer: Answer & { body: object }, accountId: string): Promise<Answer> {
    const receipt = answer.body as Render;
    const stored = await renderHistory.find(accountId, receipt.id);
    if (!stored) return answer;
    const { outputs } = receiptOf(stored, contentBaseUrl);
    const refilled = receipt.outputs.map((output, index) => {
      const { text = null, data = null } = outputs[index] ?? {};
      return { ...output, text, data };
    });
    return { ...answer, body: { ...receipt, outputs: refilled } };
  }

  async function read(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { wait = 0 } = readQuery(request, RenderQuery);
    const { accountId } = callerOf(request);
    const find = () => renderHistory.find(accountId, idOf(request));
    let render = await find();
    if (render?.finishedAt === null && wait > 0) {
      await renderWaits.wait(accountId, render.id, { ms: wait * 1000, signal: hangUpSignal(request, reply) });
      render = await find();
    }
    if (!render) throw notFound();
    return sendJson(reply, receiptOf(render, contentBaseUrl));
  }

  async function list(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { limit = 0, cursor, reference, state, ...times } = readQuery(request, RendersQuery);
    const { items, nextCursor } = await renderHistory.list(callerOf(request).accountId, {
      limit,
      cursor,
      reference,
      state,
      ...timesOf(times),
    });
    return sendJson(reply, {
      items: items.map((render) => receiptOf(render, contentBaseUrl)),
      next_cursor: nextCursor,
    });
  }

  async function remove(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const id = idOf(request);
    const { accountId } = callerOf(request);
    const [canceled] = isId(id) ? await renderJobs.cancel(accountId, [id]) : [];
    const render = await renderHistory.find(accountId, id);
    // One whose outputs are being sent elsewhere goes on.
    const isPending = render?.finishedAt === null;
    if (render && (canceled !== undefined || isPending))
      return sendJson(reply, receiptOf(render, contentBaseUrl));
    if (!(await renderHistory.delete(accountId, id))) throw notFound();
    return sendJson(reply, { id, deleted: true });
  }

  return { create, list, read, remove };
}

/** The receipt of an earlier render, as this request has it: it cost nothing. */
function hitAnswer(
  hit: CacheHit,
  { reference }: { reference: string | null },
  contentBaseUrl: string,
): Answer {
  const age = Math.floor(hit.ageMs / 1000);
  if (hit.bytes) return bytesAnswer(hit, { ...headersOf(hit, 'hit'), age });
  const answer = jsonAnswer({}, { ...receiptOf(hit, contentBaseUrl), reference });
  return { ...answer, headers: { ...answer.headers, age } };
}

/** What only the bytes of version 2 say. */
function headersOf(
  { page, outputs }: Pick<StoredRender, 'page' | 'outputs'>,
  cache: 'hit' | 'miss',
): Answer['headers'] {
  const [output] = outputs;
  return {
    'x-service-cache': cache,
    ...(page !== null && page.status !== null && { 'x-service-page-status': page.status }),
    'x-service-warnings': page?.warnings.length ?? 0,
    // The document of a stranger is never shown as one of ours.
    ...(output &&
      outputFiles[output.format].isAttachment && {
        'content-disposition': 'attachment',
        'content-security-policy': 'sandbox',
      }),
  };
}

// For every response: one line in the log, one row for the account's owner, and the metrics.
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { Phases } from '#core/phases.ts';
import { storable } from '#storage/storable.ts';
import { KeyRefusedError } from '#accounts/authenticate.ts';
import type { RequestLog } from '#metering/request-log.ts';
import type { Metrics } from '#server/metrics.ts';
import { kindOf } from '#server/request-kind.ts';

export function createAnswerLog(parts: { log: FastifyBaseLogger; requestLog: RequestLog; metrics: Metrics }) {
  return function noteAnswer(request: FastifyRequest, reply: FastifyReply): void {
    parts.metrics.observe(request, reply);
    const { failure, caller, notes } = request;
    // Only the log shows whose key was refused and why.
    const refusal = failure instanceof KeyRefusedError ? failure.refusal : undefined;
    const accountId = caller?.accountId ?? refusal?.accountId;
    const keyId = caller?.keyId ?? refusal?.keyId;
    const { statusCode: status } = reply;
    const durationMs = Math.round(reply.elapsedTime);
    const line = {
      requestId: request.id,
      method: request.method,
      path: loggedPath(request),
      status,
      durationMs,
      account: accountId,
      key: keyId,
      code: failure?.code,
    };
    if (failure?.code === 'internal') parts.log.error({ ...line, err: failure.cause }, 'request failed');
    else parts.log.info({ ...line, reason: refusal?.reason ?? failure?.cause }, 'request');
    const path = request.routeOptions.url;
    const kind = kindOf(request);
    if (accountId === undefined || path === undefined || kind === undefined) return;
    parts.requestLog.record({
      id: request.id,
      account_id: accountId,
      key_id: keyId ?? null,
      path,
      kind,
      status,
      code: failure?.code ?? null,
      // For a refused key the reason that the client does not see; for every other error the client's message.
      reason: refusal?.reason ?? textOrNull(failure?.message),
      field: textOrNull(failure?.details.field),
      duration_ms: durationMs,
      phases: notes ? phasesText(notes.phases) : null,
      made: notes?.made.join(',') || null,
    });
  };
}

/** Both may quote the client, at any length. */
const textOrNull = (text: string | undefined): string | null =>
  text === undefined ? null : storable(text.slice(0, 500));

/** As JSON, in whole milliseconds; null if nothing was measured. */
function phasesText({ measuredMs }: Phases): string | null {
  const rounded = Object.entries(measuredMs).map(([name, ms]) => [name, Math.round(ms)]);
  return rounded.length === 0 ? null : JSON.stringify(Object.fromEntries(rounded));
}

export const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? '';

/** Without the query, which can contain a delete token; a key or token that was put into the path by mistake is hidden too. */
const loggedPath = (request: FastifyRequest): string => pathOf(request).replaceAll(/[\w-]{40,}/g, '…');

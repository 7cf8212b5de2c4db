// The only place that turns errors into responses: the envelope for the client, the cause for the log. Spec 2.5, 7.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError, errorTable, notFound, toServiceError, type Version } from '#core/errors.ts';
import { QuotaExceededError } from '#metering/quota.ts';
import { spentQuotaHeaders } from '#http/reply-headers.ts';
import { versionOf } from '#http/route.ts';

/** Version 2 says more of an error than version 1. */
export function envelope(failure: ServiceError, version: Version, requestId: string) {
  const { code, message, details } = failure;
  if (version === 1) return { error: { code, message } };
  const { field, reason, warnings, others = [], retryable = errorTable[code].retryable } = details;
  return {
    error: {
      code,
      message: [message, ...others].join('; '),
      ...(field !== undefined && { field }),
      ...(reason !== undefined && { reason }),
      ...(warnings !== undefined && { warnings }),
      retryable,
      request_id: requestId,
    },
  };
}

export function replyWithError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  cacheControl = 'no-store',
): FastifyReply {
  const failure = translate(error);
  request.failure = failure;
  // Sending the error is not part of the phase that failed.
  request.notes?.phases.end();
  if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', failure.retryAfterSeconds);
  if (failure instanceof QuotaExceededError) reply.headers(spentQuotaHeaders(failure.limit));
  return reply
    .code(failure.status)
    .header('cache-control', cacheControl)
    .type('application/json; charset=utf-8')
    .send(envelope(failure, versionOf(request), request.id));
}

export const methodNotAllowed = (methods: string[]): ServiceError =>
  new ServiceError('method_not_allowed', `Only ${methods.join(', ')} works here.`);

/**
 * Fastify's own errors about a request (a bad URL, a bad length) are the client's mistakes, not the service's. Their messages
 * repeat the URL, which can contain a delete token, so only their codes are logged.
 */
function translate(error: unknown): ServiceError {
  const { statusCode, code, message } = error as FastifyError;
  if (error instanceof ServiceError || statusCode === undefined || statusCode >= 500)
    return toServiceError(error);
  if (code === 'FST_ERR_BAD_URL' || statusCode === 404 || statusCode === 414) {
    return notFound(code);
  }
  return new ServiceError('validation_error', `body: ${message || 'it cannot be read'}`, { cause: code });
}

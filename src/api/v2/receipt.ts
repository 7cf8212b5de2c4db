// The receipt of a render, with every field always there. Spec 10.
import type { Warning } from '#browser/browser.ts';
import { failureReasons, type StoredOutput, type StoredRender } from '#renders/stored-render.ts';
import { isoTime } from '#api/common-views.ts';
import type { Output, Render } from '#api/v2/schemas.ts';
import { renderPath } from '#http/addresses.ts';

export function receiptOf(render: StoredRender, contentBaseUrl: string): Render {
  const { timing, page, failure } = render;
  return {
    id: render.id,
    state: render.state,
    reference: render.reference,
    created_at: isoTime(render.createdAt),
    finished_at: isoTimeOrNull(render.finishedAt),
    expires_at: isoTimeOrNull(render.expiresAt),
    cached: render.isCached === true,
    units: render.units,
    duration_ms: render.durationMs,
    timing: {
      queue_ms: timing?.queueMs ?? null,
      load_ms: timing?.loadMs ?? null,
      settle_ms: timing?.settleMs ?? null,
      capture_ms: timing?.captureMs ?? null,
      store_ms: timing?.storeMs ?? null,
    },
    page: {
      source: render.source,
      url: render.url,
      final_url: page?.finalUrl ?? null,
      status: page?.status ?? null,
      title: page?.title ?? null,
      width: page?.width ?? null,
      height: page?.height ?? null,
    },
    outputs: render.outputs.map((output) => outputOf(output, contentBaseUrl)),
    warnings: warningsOf(page?.warnings ?? []),
    error: failure && errorOf(failure),
  };
}

const isoTimeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

const warningsOf = (warnings: Warning[]): Render['warnings'] =>
  warnings.map(({ code, message, url }) => ({ code, message, url }));

function outputOf(output: StoredOutput, contentBaseUrl: string): Output {
  const { format, text } = output;
  const isData = format === 'metadata' || format === 'accessibility';
  return {
    format,
    url: output.isHosted ? contentBaseUrl + renderPath(format, output.id) : null,
    content_type: output.contentType,
    width: output.width,
    height: output.height,
    pages: output.pages,
    size_bytes: output.sizeBytes,
    sha256: output.sha256,
    truncated: output.truncated,
    difference: output.change?.difference ?? null,
    changed_box: output.change?.box ?? null,
    text: isData ? null : text,
    data: isData && text !== null ? (JSON.parse(text) as Record<string, unknown>) : null,
  };
}

/** As the client was told. A failure from before version 2 has no reason. */
function errorOf({
  reason,
  message,
  field,
  warnings,
  requestId,
}: NonNullable<StoredRender['failure']>): Render['error'] {
  return {
    code: 'render_failed',
    message: field === null ? message : `${field}: ${message}`,
    ...(field !== null && { field }),
    ...(reason !== null && { reason }),
    ...(warnings && { warnings: warningsOf(warnings) }),
    retryable: reason === null || failureReasons[reason].retryable,
    request_id: requestId,
  };
}

// A hosted render with several outputs in a running service, without a browser: rows and files as a render leaves them.
import { createHash } from 'node:crypto';
import { newId, outputKeys } from '#core/ids.ts';
import type { OutputFormat } from '#browser/job.ts';
import type { RenderRow } from '#storage/schema.ts';
import { chargedOf, isExtract, outputFiles } from '#renders/output-files.ts';
import type { OutputReceipt, Receipt } from '#renders/stored-render.ts';
import { openBlobs } from '#roof/engines.ts';
import type { TestService } from '#test/support/service.ts';

export interface GivenOutput {
  format: OutputFormat;
  bytes: Buffer;
}

/** Returns the id of the render; the bytes are stored under `outputKeys`. */
export async function storeRender(
  service: Pick<TestService, 'database' | 'config' | 'clock'>,
  accountId: string,
  given: GivenOutput[],
  { title = 'A page', ...change }: Partial<RenderRow> & { title?: string } = {},
): Promise<string> {
  const id = newId();
  const blobs = await openBlobs(service.config, 'renders');
  const keys = outputKeys({ id, outputs: given.length });
  const outputs: OutputReceipt[] = [];
  for (const [place, { format, bytes }] of given.entries()) {
    await using spool = blobs.createSpool();
    await spool.write(bytes);
    await spool.commit(keys[place]!);
    const isPicture = !isExtract(format) && format !== 'pdf';
    outputs.push({
      format,
      sizeBytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      width: isPicture ? 640 : null,
      height: isPicture ? 480 : null,
      pages: format === 'pdf' ? 3 : null,
      truncated: false,
    });
  }
  const main = outputs[chargedOf(outputs)[0]!]!;
  const receipt: Receipt = {
    version: 2,
    source: 'url',
    timing: { queueMs: 0, loadMs: 0, settleMs: 0, captureMs: 0, storeMs: 0 },
    page: { finalUrl: 'https://example.com/', status: 200, title, width: 1440, height: 900, warnings: [] },
    outputs,
    failure: null,
  };
  const now = service.clock.now();
  await service.database.tables.renders.insert({
    id,
    account_id: accountId,
    key_id: null,
    kind: isExtract(main.format) ? 'extract' : main.format === 'pdf' ? 'pdf' : 'screenshot',
    target: 'https://example.com/',
    failure: null,
    state: 'ended',
    options: '{}',
    content_type: outputFiles[main.format].contentType,
    size_bytes: outputs.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    duration_ms: 1,
    sha256: outputs[0]!.sha256,
    hosted: 1,
    created_at: now,
    expires_at: null,
    deleted_at: null,
    reference: null,
    units: chargedOf(outputs).length,
    outputs: outputs.length,
    receipt: JSON.stringify(receipt),
    finished_at: now,
    cache_key: null,
    ...change,
  });
  return id;
}

// Everything in an account as one tar file, written as it is read: lists as JSON lines, files unchanged.
import { Readable } from 'node:stream';
import { ServiceError } from '#core/errors.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { Cursor, PageOptions } from '#storage/owned/page.ts';
import type { Owned } from '#storage/owned/owned.ts';
import type { Person } from '#accounts/sessions.ts';
import { tarEnd, tarHeader, tarPadding } from '#http/tar.ts';
import type { DashboardParts, Handlers } from '#console/serve.ts';
import { outputFiles } from '#renders/output-files.ts';
import { outputsOf } from '#renders/stored-render.ts';
import { imageExtensions, type ImageType } from '#uploads/image-types.ts';

const rowsPerPart = 1_000;

export function exportHandlers(parts: DashboardParts) {
  /** Accounts with an export under way. Each reads thousands of rows on the event loop that all accounts share. */
  const exporting = new Set<string>();
  return {
    async 'GET /export'({ owned, person, reply }) {
      const { accountId } = owned;
      if (exporting.has(accountId)) throw alreadyExporting();
      exporting.add(accountId);
      const tar = Readable.from(writeExport(parts, owned, person));
      tar.once('close', () => exporting.delete(accountId));
      try {
        await parts.metering.requestLog.flush();
      } catch (error) {
        tar.destroy();
        throw error;
      }
      return reply
        .type('application/x-tar')
        .header('content-disposition', 'attachment; filename="tintype-export.tar"')
        .send(tar);
    },
  } satisfies Partial<Handlers>;
}

const alreadyExporting = () =>
  new ServiceError(
    'rate_limited',
    'An export of this account is already being downloaded. Wait for it to finish, or cancel it first.',
    { retryAfterSeconds: 5 },
  );

async function* writeExport(parts: DashboardParts, owned: Owned, { account, name }: Person) {
  const { clock, uploads, renders } = parts;
  const now = clock.now();
  const { stored_plan: _plan, ...row } = account;
  yield* entry('account.json', JSON.stringify({ name, ...row }, null, 2), now);
  const keys = await owned.keys.list();
  yield* entry('keys.jsonl', jsonLines(keys.map(({ key_hash: _hash, ...key }) => key)), now);
  yield* entry('key-addresses.jsonl', jsonLines(await owned.keys.addresses()), now);
  const linkKeys = await owned.linkKeys.list();
  yield* entry('link-keys.jsonl', jsonLines(linkKeys.map(({ sealed: _sealed, ...key }) => key)), now);
  yield* entry('webhooks.jsonl', jsonLines(await owned.webhooks.endpoints()), now);
  yield* entry('usage-months.jsonl', jsonLines(await owned.usage.counters()), now);

  yield* lists('usage', owned.usage.events, now);
  yield* lists('albums', (page) => owned.albums.page(page, now), now);
  for await (const rows of pagesOf((page) => owned.uploadLinks.page(page, now))) {
    const shown = rows.map(({ token_hash: _hash, ...row }) => row);
    yield* entry(partName('upload-links', rows), jsonLines(shown), now);
  }
  yield* lists('requests', (page) => owned.requests.page({}, page), now);
  for await (const rows of pagesOf((page) => owned.uploads.page({}, page, now))) {
    const shown = rows.map(({ delete_token_hash: _hash, password_hash: _password, ...row }) => row);
    yield* entry(partName('uploads', rows), jsonLines(shown), now);
    for (const row of rows) {
      const extension = imageExtensions[row.content_type as ImageType][0];
      yield* file(`uploads/${row.id}.${extension}`, uploads.uploadBlobs, row, row.size_bytes);
    }
  }
  for await (const rows of pagesOf((page) => owned.renders.page({}, page, now))) {
    yield* entry(partName('renders', rows), jsonLines(rows), now);
    for (const row of rows) {
      for (const { id, format, sizeBytes, isHosted } of outputsOf(row)) {
        if (!isHosted) continue;
        const [extension] = outputFiles[format].extensions;
        yield* file(`renders/${id}.${extension}`, renders.renderBlobs, { ...row, id }, sizeBytes);
      }
    }
  }
  yield tarEnd;
}

interface Row {
  id: string;
  created_at: number;
}

async function* lists<T extends Row>(name: string, next: (page: PageOptions) => Promise<T[]>, now: number) {
  for await (const rows of pagesOf(next)) yield* entry(partName(name, rows), jsonLines(rows), now);
}

async function* pagesOf<T extends Row>(next: (page: PageOptions) => Promise<T[]>): AsyncGenerator<T[]> {
  let after: Cursor | undefined;
  for (;;) {
    const rows = await next({ after, limit: rowsPerPart });
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = { createdAt: last.created_at, id: last.id };
  }
}

/** Newest first; the name contains the oldest row's time, so that names sort. */
const partName = (name: string, rows: Row[]): string =>
  `${name}-${rows.at(-1)?.created_at ?? 0}-${rows.at(-1)?.id ?? ''}.jsonl`;

const jsonLines = (rows: object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

function* entry(name: string, text: string, now: number) {
  const bytes = Buffer.from(text);
  yield tarHeader(name, bytes.length, now);
  yield bytes;
  yield tarPadding(bytes.length);
}

/** A file that is deleted while the export runs is left out. */
async function* file(name: string, blobs: Blobs, row: Row & { account_id: string }, sizeBytes: number) {
  // The reader may disconnect at any of the yields.
  using blob = await blobs.open(row.id, undefined, row.account_id);
  if (!blob) return;
  yield tarHeader(name, sizeBytes, row.created_at);
  yield* blob.stream as AsyncIterable<Buffer>;
  yield tarPadding(sizeBytes);
}

// What webhooks say of an upload.
import type { UploadRow } from '#storage/schema.ts';

export interface UploadEvents {
  describe: (row: UploadRow) => object;
  /** After the transaction that recorded an event. */
  wake: () => void;
}

export function createUploadEvents(parts: {
  linksOf: (slug: string) => object;
  wake: () => void;
}): UploadEvents {
  return {
    wake: parts.wake,
    describe: (row) => ({
      id: row.id,
      ...parts.linksOf(row.slug),
      filename: row.filename,
      content_type: row.content_type,
      size_bytes: row.size_bytes,
      width: row.width,
      height: row.height,
      sha256: row.sha256,
      created_at: new Date(row.created_at).toISOString(),
      expires_at: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
    }),
  };
}

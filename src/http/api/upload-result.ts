// The response for a stored upload. Spec 2.1.
import { deleteLink, uploadLinks, type Addresses } from '#http/links.ts';
import type { StoredUpload } from '#uploads/store-uploads.ts';

export interface UploadResult {
  id: string;
  slug: string;
  url: string;
  file_url: string;
  delete_url: string;
  expires_at: string | null;
  size_bytes: number;
  content_type: string;
  filename: string;
}

export function uploadResult(
  addresses: Addresses,
  { row, deleteToken }: Pick<StoredUpload, 'row' | 'deleteToken'>,
): UploadResult {
  return {
    id: row.id,
    slug: row.slug,
    ...uploadLinks(addresses, row.slug),
    delete_url: deleteLink(addresses, row.id, deleteToken),
    expires_at: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
    size_bytes: row.size_bytes,
    content_type: row.content_type,
    filename: row.filename,
  };
}

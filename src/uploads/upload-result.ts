// What the client is told about a stored upload. Spec 2.1.
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

/** Where links lead: pages and the API, and the bytes. */
export interface Addresses {
  baseUrl: string;
  contentBaseUrl: string;
}

export function uploadResult(
  { baseUrl, contentBaseUrl }: Addresses,
  { row, deleteToken }: Pick<StoredUpload, 'row' | 'deleteToken'>,
): UploadResult {
  return {
    id: row.id,
    slug: row.slug,
    url: `${baseUrl}/i/${row.slug}`,
    file_url: `${contentBaseUrl}/f/${row.slug}`,
    delete_url: `${baseUrl}/api/uploads/${row.id}/delete?token=${deleteToken}`,
    expires_at: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
    size_bytes: row.size_bytes,
    content_type: row.content_type,
    filename: row.filename,
  };
}

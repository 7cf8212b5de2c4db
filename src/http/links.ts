// Builds every URL that the service returns. Spec 2.1, 2.3, 2.4.
import type { RenderKind } from '#storage/schema.ts';

/** Base URLs: of pages and the API, and of the bytes. */
export interface Addresses {
  baseUrl: string;
  contentBaseUrl: string;
}

export const sharePath = (slug: string): string => `/i/${slug}`;
export const filePath = (slug: string): string => `/f/${slug}`;
export const renderPath = (kind: RenderKind, id: string): string =>
  `/${kind === 'screenshot' ? 's' : 'p'}/${id}`;

export function uploadLinks({ baseUrl, contentBaseUrl }: Addresses, slug: string) {
  return { url: baseUrl + sharePath(slug), file_url: contentBaseUrl + filePath(slug) };
}

export const deleteLink = ({ baseUrl }: Pick<Addresses, 'baseUrl'>, id: string, token: string): string =>
  `${baseUrl}/api/uploads/${id}/delete?token=${token}`;

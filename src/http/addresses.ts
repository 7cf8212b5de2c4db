// Builds every URL that the service returns. Spec 2.1, 2.3, 2.4.
import type { OutputFormat } from '#browser/job.ts';

/** Base URLs: of pages and the API, and of the bytes. */
export interface Addresses {
  baseUrl: string;
  contentBaseUrl: string;
}

export const sharePath = (slug: string): string => `/i/${slug}`;
/** Where a visitor asks to see a guarded upload. */
export const showPath = (slug: string): string => `${sharePath(slug)}/show`;
export const filePath = (slug: string): string => `/f/${slug}`;
export const albumPath = (slug: string): string => `/a/${slug}`;
export const dropPath = (token: string): string => `/u/${token}`;
/** The path of an output of a render. */
export const renderPath = (format: OutputFormat, id: string): string =>
  `/${format === 'pdf' ? 'p' : 's'}/${id}`;

/** The path of a signed request. */
export const linkPath = (linkKey: string, payload: string, signature: string): string =>
  `/r/${linkKey}/${payload}/${signature}`;

export function uploadLinks({ baseUrl, contentBaseUrl }: Addresses, slug: string) {
  return { url: baseUrl + sharePath(slug), file_url: contentBaseUrl + filePath(slug) };
}

/** As the router knows it. */
export const deletePath = '/api/uploads/:id/delete';

export const deleteLink = ({ baseUrl }: Pick<Addresses, 'baseUrl'>, id: string, token: string): string =>
  `${baseUrl}${deletePath.replace(':id', id)}?token=${token}`;

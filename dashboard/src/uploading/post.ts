// Sends one file and reports progress. It uses XMLHttpRequest because fetch reports no upload progress.
import { ApiError, errorFrom } from '#app/api.ts';
import { dashboardPath } from '#console/paths.ts';
import type { Upload } from '#console/views.ts';

export type Stored = Pick<Upload, 'id' | 'url' | 'file_url' | 'expires_at' | 'filename'>;

export interface Post {
  /** Rejects with an ApiError, or with a plain Error after `abort`. */
  answer: Promise<Stored>;
  abort: () => void;
}

export function post(file: File, expiresIn: number | undefined, onProgress: (part: number) => void): Post {
  const request = new XMLHttpRequest();
  const form = new FormData();
  if (expiresIn !== undefined) form.append('expires_in', String(expiresIn));
  form.append('file', file);
  const answer = new Promise<Stored>((resolve, reject) => {
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      onProgress(total > 0 ? loaded / total : 0),
    );
    request.addEventListener('load', () => {
      if (request.status === 201) resolve(JSON.parse(request.responseText) as Stored);
      else reject(errorFrom(request.status, request.responseText, request.getResponseHeader('retry-after')));
    });
    request.addEventListener('error', () =>
      reject(new ApiError(0, 'unreachable', 'The connection was lost.')),
    );
    request.addEventListener('abort', () => reject(new Error('cancelled')));
    request.open('POST', `${dashboardPath}/uploads`);
    request.send(form);
  });
  return { answer, abort: () => request.abort() };
}

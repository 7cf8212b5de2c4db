// Requests as a client makes them.
export interface Answer<T = unknown> {
  status: number;
  headers: Headers;
  body: T;
}

export interface ErrorBody {
  error: { code: string; message: string };
}

export const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

export async function post<T = ErrorBody>(url: string, init: RequestInit = {}): Promise<Answer<T>> {
  const response = await fetch(url, { method: 'POST', ...init });
  return { status: response.status, headers: response.headers, body: (await response.json()) as T };
}

export function formOf(
  files: [bytes: Buffer, filename: string][],
  fields: Record<string, string> = {},
): FormData {
  const form = new FormData();
  for (const [bytes, filename] of files) form.append('file', new Blob([new Uint8Array(bytes)]), filename);
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

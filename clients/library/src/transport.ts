// One HTTP exchange, by fetch. If the caller wants upload progress, the body is counted while it is sent; browsers use
// XMLHttpRequest for that, because their fetch does not report progress.
export interface Exchange {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  url: string;
  headers: Record<string, string>;
  body: string | Blob | undefined;
  signal: AbortSignal;
  onSent: ((bytes: number) => void) | undefined;
  /** Only where no key is sent: the key belongs to the address that it was given for. */
  followsRedirects: boolean;
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export async function exchange(request: Exchange, fetch: Fetch): Promise<Response> {
  const { method, url, headers, body, signal, onSent, followsRedirects } = request;
  const init: RequestInit = { method, headers, signal, redirect: followsRedirects ? 'follow' : 'manual' };
  if (body === undefined) return fetch(url, init);
  if (!onSent || typeof body === 'string') return fetch(url, { ...init, body });
  const Xhr = (globalThis as { XMLHttpRequest?: new () => BrowserRequest }).XMLHttpRequest;
  if (Xhr) return exchangeByXhr(new Xhr(), request);
  const streamed = { body: inPieces(body, onSent), duplex: 'half' };
  return fetch(url, {
    ...init,
    ...streamed,
    headers: { ...headers, 'content-length': String(body.size) },
  } as RequestInit);
}

const pieceBytes = 64 * 1024;

/** Blob.stream() yields bytes in memory as one chunk, which would show no progress. */
function inPieces(body: Blob, onSent: (bytes: number) => void): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = new Uint8Array(await body.slice(sent, sent + pieceBytes).arrayBuffer());
        sent += piece.byteLength;
        if (piece.byteLength > 0) controller.enqueue(piece);
        else controller.close();
        if (piece.byteLength > 0) onSent(sent);
      },
    },
    { highWaterMark: 0 },
  );
}

/** The part of XMLHttpRequest that is used here; the library is typed without the DOM. */
interface BrowserRequest {
  responseType: string;
  readonly status: number;
  readonly response: unknown;
  readonly upload: {
    addEventListener(type: 'progress', listener: (event: { loaded: number }) => void): void;
  };
  addEventListener(type: 'load' | 'error' | 'abort', listener: () => void): void;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: Blob | string): void;
  abort(): void;
}

function exchangeByXhr(
  xhr: BrowserRequest,
  { url, headers, body, signal, onSent }: Exchange,
): Promise<Response> {
  return new Promise<Response>((resolve, reject) => {
    const onAbort = (): void => xhr.abort();
    const settle = (action: () => void) => (): void => {
      signal.removeEventListener('abort', onAbort);
      action();
    };
    signal.throwIfAborted();
    signal.addEventListener('abort', onAbort, { once: true });
    xhr.open('POST', url);
    xhr.responseType = 'arraybuffer';
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.upload.addEventListener('progress', ({ loaded }) => onSent?.(loaded));
    xhr.addEventListener(
      'load',
      settle(() => resolve(responseOf(xhr))),
    );
    xhr.addEventListener(
      'error',
      settle(() => reject(new TypeError('the connection failed'))),
    );
    xhr.addEventListener(
      'abort',
      settle(() => reject(signal.reason as Error)),
    );
    xhr.send(body ?? '');
  });
}

function responseOf(xhr: BrowserRequest): Response {
  const headers = new Headers();
  for (const line of xhr
    .getAllResponseHeaders()
    .trim()
    .split(/[\r\n]+/)) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return new Response(xhr.response as ArrayBuffer, { status: xhr.status, headers });
}

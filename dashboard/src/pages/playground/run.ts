// Runs one call and keeps its response, duration and headers. A run can be cancelled.
import { useEffect, useRef, useState } from 'react';
import type { RouteName } from '#console/contract.ts';
import { callRaw, refresh } from '#app/api.ts';

export interface Outcome {
  status: number;
  /** From the click to the last byte, measured in this browser. */
  tookMs: number;
  headers: [name: string, value: string][];
  contentType: string;
  bytes: Blob;
  /** An object URL of the bytes. */
  address: string;
  /** Of the render that it came from; undefined for an upload and for an error. */
  renderId: string | undefined;
  /** Whether its bytes have a link already. */
  isHosted: boolean;
  /** Set if the response is JSON. */
  json?: unknown;
  /** The beginning of a response that is text. */
  text?: string;
}

export interface Run {
  /** When the run began; undefined if nothing is running. */
  startedAt: number | undefined;
  /** Cancels the run; the service also stops the render. */
  cancel: () => void;
  isCancelled: boolean;
  outcome: Outcome | undefined;
  problem: Error | undefined;
  start: (name: RouteName & `POST /playground/${string}`, body: object | FormData) => void;
}

const shown = /^(content-type|content-length|x-|retry-after|cache-control|etag)/;

export function useRun(): Run {
  const [startedAt, setStartedAt] = useState<number>();
  const [isCancelled, setCancelled] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();
  const [problem, setProblem] = useState<Error>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => URL.revokeObjectURL(outcome?.address ?? ''), [outcome]);
  // Cancel on unmount: nobody would see the response.
  useEffect(() => () => running.current?.abort(), []);

  async function run(name: RouteName & `POST /playground/${string}`, body: object | FormData): Promise<void> {
    const mine = new AbortController();
    running.current = mine;
    setStartedAt(Date.now());
    setProblem(undefined);
    setCancelled(false);
    setOutcome(undefined);
    try {
      setOutcome(await perform(name, body, mine.signal));
    } catch (error) {
      if (mine.signal.aborted) setCancelled(true);
      else setProblem(error as Error);
    }
    setStartedAt(undefined);
    void refresh(['overview', 'renders', 'uploads', 'usage']);
  }
  return {
    startedAt,
    isCancelled,
    outcome,
    problem,
    start: (name, body) => void run(name, body),
    cancel: () => running.current?.abort(),
  };
}

async function perform(
  name: RouteName & `POST /playground/${string}`,
  body: object | FormData,
  signal: AbortSignal,
): Promise<Outcome> {
  const startedAt = performance.now();
  const isBytes = !(body instanceof FormData) && !('response' in body && body.response === 'json');
  const response = await callRaw(name, body, signal, isBytes ? { 'idempotency-key': newKey() } : {});
  const bytes = await response.blob();
  const contentType = response.headers.get('content-type') ?? '';
  const isJson = contentType.startsWith('application/json');
  const json = isJson ? (JSON.parse(await bytes.text()) as { id?: string } | null) : undefined;
  const isRendered = response.ok && name !== 'POST /playground/upload';
  return {
    status: response.status,
    tookMs: Math.round(performance.now() - startedAt),
    headers: [...response.headers].filter(([header]) => shown.test(header)),
    contentType,
    bytes,
    address: URL.createObjectURL(
      isShown.test(contentType) ? bytes : new Blob([bytes], { type: 'application/octet-stream' }),
    ),
    renderId: isRendered ? (response.headers.get('x-service-id') ?? json?.id) : undefined,
    isHosted: !isBytes,
    ...(isJson && { json }),
    ...(isMarkup.test(contentType) && { text: await bytes.slice(0, maxShownBytes).text() }),
  };
}

/** With such a key the service keeps the bytes for a day, so that they can be hosted without a second render. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/** Only these have an address that a browser would show: a document of a stranger would be one of ours. */
const isShown = /^(image\/(png|jpeg|webp)|application\/pdf)/;
const isMarkup = /^(text|multipart)\//;
/** More text makes a page slow. */
export const maxShownBytes = 200_000;

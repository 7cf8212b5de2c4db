// One run of a call: what came back, how long it took, and its headers.
import { useEffect, useState } from 'react';
import type { RouteName } from '#http/dashboard/contract.ts';
import { callRaw, queries } from '#app/api.ts';

export interface Outcome {
  status: number;
  /** From the click to the last byte, seen from here. */
  tookMs: number;
  headers: [name: string, value: string][];
  contentType: string;
  sizeBytes: number;
  /** An object URL of the bytes. */
  address: string;
  /** Set when the answer is JSON. */
  json?: unknown;
}

export interface Run {
  isRunning: boolean;
  outcome: Outcome | undefined;
  problem: Error | undefined;
  start: (name: RouteName & `POST /playground/${string}`, body: object | FormData) => void;
}

const shown = /^(content-type|content-length|x-|retry-after|cache-control|etag)/;

export function useRun(): Run {
  const [isRunning, setRunning] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();
  const [problem, setProblem] = useState<Error>();
  useEffect(() => () => URL.revokeObjectURL(outcome?.address ?? ''), [outcome]);

  async function run(name: RouteName & `POST /playground/${string}`, body: object | FormData): Promise<void> {
    setRunning(true);
    setProblem(undefined);
    try {
      setOutcome(await perform(name, body));
    } catch (error) {
      setOutcome(undefined);
      setProblem(error as Error);
    }
    setRunning(false);
    for (const key of ['overview', 'renders', 'uploads', 'usage'])
      void queries.invalidateQueries({ queryKey: [key] });
  }
  return { isRunning, outcome, problem, start: (name, body) => void run(name, body) };
}

async function perform(
  name: RouteName & `POST /playground/${string}`,
  body: object | FormData,
): Promise<Outcome> {
  const startedAt = performance.now();
  const response = await callRaw(name, body);
  const blob = await response.blob();
  const contentType = response.headers.get('content-type') ?? '';
  return {
    status: response.status,
    tookMs: Math.round(performance.now() - startedAt),
    headers: [...response.headers].filter(([header]) => shown.test(header)),
    contentType,
    sizeBytes: blob.size,
    address: URL.createObjectURL(blob),
    ...(contentType.startsWith('application/json') && { json: JSON.parse(await blob.text()) as unknown }),
  };
}

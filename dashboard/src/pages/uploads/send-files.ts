// Files on their way up, each with its progress. Two go at a time, one request each, so that one bad file fails alone.
import { useSyncExternalStore } from 'react';
import { ApiError, errorFrom, queries } from '#app/api.ts';
import { plural } from '#app/format.ts';
import { note } from '#app/parts/toast.tsx';

export interface Sending {
  id: number;
  name: string;
  sizeBytes: number;
  /** 0 to 1. */
  progress: number;
  state: 'waiting' | 'sending' | 'done' | 'failed';
  problem?: string;
}

const atOnce = 2;
const listeners = new Set<() => void>();
const files = new Map<number, File>();
let sendings: Sending[] = [];
let lastId = 0;

export function useSendings(): Sending[] {
  return useSyncExternalStore(subscribe, () => sendings);
}

export function sendFiles(chosen: File[]): void {
  const added = chosen.map((file): Sending => {
    lastId += 1;
    files.set(lastId, file);
    return { id: lastId, name: file.name, sizeBytes: file.size, progress: 0, state: 'waiting' };
  });
  put([...sendings, ...added]);
  startNext();
}

export function retry(id: number): void {
  change(id, { state: 'waiting', progress: 0 });
  startNext();
}

export function clearFinished(): void {
  for (const { id, state } of sendings) if (state === 'failed') files.delete(id);
  put(sendings.filter(({ state }) => state === 'waiting' || state === 'sending'));
}

function startNext(): void {
  const running = sendings.filter(({ state }) => state === 'sending').length;
  for (const { id } of sendings.filter(({ state }) => state === 'waiting').slice(0, atOnce - running)) {
    change(id, { state: 'sending' });
    void send(id);
  }
}

async function send(id: number): Promise<void> {
  const file = files.get(id);
  if (!file) return;
  try {
    await post(file, (progress) => change(id, { progress }));
    change(id, { state: 'done', progress: 1 });
    files.delete(id);
  } catch (error) {
    change(id, { state: 'failed', problem: (error as Error).message });
  }
  for (const key of ['uploads', 'overview', 'usage']) void queries.invalidateQueries({ queryKey: [key] });
  if (sendings.every(({ state }) => state === 'done' || state === 'failed')) report();
  else startNext();
}

function report(): void {
  const done = sendings.filter(({ state }) => state === 'done').length;
  const failed = sendings.length - done;
  note(`${plural(done, 'file')} uploaded${failed > 0 ? `, ${failed} not` : ''}.`);
}

/** fetch tells nothing of a body on its way; XMLHttpRequest does. */
function post(file: File, onProgress: (part: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const form = new FormData();
    form.append('file', file);
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      onProgress(total > 0 ? loaded / total : 0),
    );
    request.addEventListener('load', () => {
      if (request.status === 201) resolve();
      else reject(errorFrom(request.status, request.responseText));
    });
    request.addEventListener('error', () =>
      reject(new ApiError(0, 'unreachable', 'The connection broke. Try again.')),
    );
    request.open('POST', '/api/dashboard/uploads');
    request.send(form);
  });
}

function change(id: number, patch: Partial<Sending>): void {
  put(sendings.map((sending) => (sending.id === id ? { ...sending, ...patch } : sending)));
}

function put(next: Sending[]): void {
  sendings = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

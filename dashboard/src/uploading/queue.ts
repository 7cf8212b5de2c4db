// The upload queue. Two files are sent at a time, one request each, so that a bad file does not fail the others. When the
// request budget is spent, the queue waits for it. Files that cannot succeed are never sent. After the last file the links
// are copied to the clipboard.
import { ApiError, call, noteRefusal, refresh } from '#app/api.ts';
import { createStore } from '#app/parts/store.ts';
import { note, problem } from '#app/parts/toast.tsx';
import { maxSize, typeNames } from '#app/uploading/accepted.ts';
import { refusalOf } from '#app/uploading/check-file.ts';
import { post, type Post, type Stored } from '#app/uploading/post.ts';

export interface Sending {
  id: number;
  name: string;
  sizeBytes: number;
  /** An object URL of the file itself. */
  picture: string;
  /** 0 to 1. */
  progress: number;
  /** `held` until a person says that it is to be uploaded. */
  state: 'held' | 'waiting' | 'sending' | 'done' | 'failed';
  problem?: string;
  /** False if a retry would fail in the same way. */
  canRetry?: boolean;
  stored?: Stored;
}

interface Queue {
  sendings: Sending[];
  /** Seconds until new links expire; undefined for the plan's default. */
  expiresIn: number | undefined;
  /** When the request budget refills; undefined while it is not spent. */
  resumesAt: number | undefined;
}

const atOnce = 2;
/** Queries that show uploads. */
const touched = ['uploads', 'overview', 'usage'];
const files = new Map<number, File>();
const posts = new Map<number, Post>();
const queue = createStore<Queue>({ sendings: [], expiresIn: undefined, resumesAt: undefined });
let lastId = 0;
/** Id of the first file of the current batch: those added since the queue was last empty. */
let batchStart = 1;

export const useQueue = (): Queue => queue.use((now) => now);

export const isHeld = ({ state }: Sending): boolean => state === 'held';
export const isOpen = ({ state }: Sending): boolean => state !== 'done' && state !== 'failed';

export function sendFiles(chosen: File[], state: 'waiting' | 'held' = 'waiting'): void {
  if (!queue.get().sendings.some(isOpen)) batchStart = lastId + 1;
  const added = chosen.map((file): Sending => {
    lastId += 1;
    files.set(lastId, file);
    return {
      id: lastId,
      name: file.name,
      sizeBytes: file.size,
      picture: URL.createObjectURL(file),
      progress: 0,
      state,
    };
  });
  put({ sendings: [...queue.get().sendings, ...added] });
  void Promise.all(added.map(check)).then(startNext);
}

export function retry(ids: number[]): void {
  // Their links are copied at the end, as those of new files are.
  if (!queue.get().sendings.some(isOpen)) batchStart = Math.min(...ids);
  for (const id of ids) change(id, { state: 'waiting', progress: 0 });
  startNext();
}

export function sendHeld(): void {
  for (const { id } of queue.get().sendings.filter(isHeld)) change(id, { state: 'waiting' });
  startNext();
}

/** Cancels files that are not stored yet. */
export function cancel(ids: number[]): void {
  for (const id of ids) posts.get(id)?.abort();
  forget(ids);
  finishBatch();
  startNext();
}

export function clear(): void {
  cancel(
    queue
      .get()
      .sendings.filter(isOpen)
      .map(({ id }) => id),
  );
  forget(queue.get().sendings.map(({ id }) => id));
}

/** Applies to future uploads and to the stored ones in this list. */
export async function setExpiry(expiresIn: number | undefined, defaultLife: number | null): Promise<void> {
  put({ expiresIn });
  const stored = queue.get().sendings.filter(({ state }) => state === 'done');
  for (const sending of stored) {
    try {
      const { expires_at } = await call('PATCH /uploads/:id', {
        id: sending.stored!.id,
        body: { expires_in: expiresIn ?? defaultLife },
      });
      change(sending.id, { stored: { ...sending.stored!, expires_at } });
    } catch (error) {
      problem(error);
      return;
    }
  }
  if (stored.length > 0) {
    void refresh(touched);
    note('Expiry changed.');
  }
}

async function check(sending: Sending): Promise<void> {
  const refusal = await refusalOf(files.get(sending.id)!);
  if (refusal !== undefined) fail(sending.id, refusal, false);
}

function startNext(): void {
  if (queue.get().resumesAt !== undefined) return;
  const running = queue.get().sendings.filter(({ state }) => state === 'sending').length;
  const next = queue
    .get()
    .sendings.filter(({ state }) => state === 'waiting')
    .slice(0, atOnce - running);
  for (const { id } of next) {
    change(id, { state: 'sending' });
    void send(id);
  }
  finishBatch();
}

async function send(id: number): Promise<void> {
  const sent = post(files.get(id)!, queue.get().expiresIn, (progress) => change(id, { progress }));
  posts.set(id, sent);
  try {
    const stored = await sent.answer;
    change(id, { state: 'done', progress: 1, stored });
    files.delete(id);
    void refresh(touched);
  } catch (error) {
    if (error instanceof ApiError) handleFailure(id, error);
  }
  posts.delete(id);
  startNext();
}

function handleFailure(id: number, error: ApiError): void {
  noteRefusal(error);
  if (error.code === 'rate_limited') {
    change(id, { state: 'waiting', progress: 0 });
    pause(error.retryAfterSeconds ?? 1);
  } else if (error.code === 'quota_exceeded') {
    // The other files would get the same answer.
    const waiting = queue.get().sendings.filter(({ state }) => state === 'waiting');
    for (const sending of [{ id }, ...waiting])
      fail(sending.id, 'The upload quota of this month is used up.', false);
  } else {
    fail(id, wordsFor(error), ![413, 415, 422].includes(error.status));
  }
}

function pause(seconds: number): void {
  if (queue.get().resumesAt !== undefined) return;
  put({ resumesAt: Date.now() + seconds * 1000 });
  setTimeout(() => {
    put({ resumesAt: undefined });
    startNext();
  }, seconds * 1000);
}

const words: Record<string, string> = {
  file_too_large: `Larger than ${maxSize}.`,
  unsupported_type: `Not a ${typeNames} picture.`,
};
const wordsFor = ({ code, complaint }: ApiError): string => words[code] ?? complaint;

const fail = (id: number, text: string, canRetry: boolean): void =>
  change(id, { state: 'failed', problem: text, canRetry });

/** Once no file is open: copies the links of this batch, in the order in which the files were added. */
function finishBatch(): void {
  if (queue.get().sendings.some(isOpen)) return;
  const links = linksOf(queue.get().sendings.filter(({ id }) => id >= batchStart));
  batchStart = lastId + 1;
  if (links.length === 0) return;
  // Some browsers allow this only right after a click; people then use the Copy buttons.
  void navigator.clipboard?.writeText(links.join('\n')).then(
    () => note(links.length === 1 ? 'Link copied.' : `${links.length} links copied.`),
    () => {},
  );
}

export const linksOf = (sendings: Sending[]): string[] =>
  sendings.flatMap(({ stored }) => (stored ? [stored.url] : []));

function forget(ids: number[]): void {
  for (const { id, picture } of queue.get().sendings) {
    if (!ids.includes(id)) continue;
    URL.revokeObjectURL(picture);
    files.delete(id);
  }
  put({ sendings: queue.get().sendings.filter(({ id }) => !ids.includes(id)) });
}

function change(id: number, patch: Partial<Sending>): void {
  put({
    sendings: queue.get().sendings.map((sending) => (sending.id === id ? { ...sending, ...patch } : sending)),
  });
}

function put(patch: Partial<Queue>): void {
  queue.set({ ...queue.get(), ...patch });
}

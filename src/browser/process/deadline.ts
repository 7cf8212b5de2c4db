// One deadline per render: the total budget, its phases and the caller's disconnect, as abort signals that every browser call
// takes. Spec 4.3, 4.4 (navigation and total budgets).
import { RenderFailure } from '#browser/browser.ts';

export interface Deadline {
  /** Aborts with a RenderFailure if the total budget is spent or the caller disconnects. */
  readonly signal: AbortSignal;
  /** What is left of the total budget. */
  leftMs(): number;
  /** A phase with its own budget; it also ends with the whole. Call `end` when it is over. */
  phase(budgetMs: number, failure: () => Error): Phase;
  /** Ends the render from outside (its page crashed, its browser died). */
  fail(failure: RenderFailure): void;
  end(): void;
}

/**
 * For each step of starting a browser: its first answer, the tests before its first page. It only ends a hang: a step
 * takes a second, but many times that on a small or busy machine, and ending a slow start would only begin another.
 */
export const startStepMs = 60_000;

// Ends waits that are still pending when their phase is over, such as the loser of a race.
const over = new Error('this part of the render is over');

export interface Phase {
  readonly signal: AbortSignal;
  end(): void;
}

/** `leftMs` is what remains of the total budget; on a second attempt, less than all of it. */
export function createDeadline(totalMs: number, leftMs: number, caller: AbortSignal): Deadline {
  const controller = new AbortController();
  const endsAt = performance.now() + leftMs;
  const timer = setTimeout(
    () => controller.abort(new RenderFailure('timed_out', `the render took longer than ${totalMs / 1000} s`)),
    leftMs,
  );
  const hangUp = () => controller.abort(new RenderFailure('aborted', 'the render was cancelled'));
  if (caller.aborted) hangUp();
  caller.addEventListener('abort', hangUp, { once: true });
  return {
    signal: controller.signal,
    leftMs: () => endsAt - performance.now(),
    phase: (budgetMs, failure) => createPhase(controller.signal, budgetMs, failure),
    fail: (failure) => controller.abort(failure),
    end() {
      clearTimeout(timer);
      caller.removeEventListener('abort', hangUp);
      controller.abort(over);
    },
  };
}

export function createPhase(parent: AbortSignal, budgetMs: number, failure: () => Error): Phase {
  const controller = new AbortController();
  const follow = () => controller.abort(parent.reason);
  if (parent.aborted) follow();
  parent.addEventListener('abort', follow, { once: true });
  const timer = setTimeout(() => controller.abort(failure()), budgetMs);
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      parent.removeEventListener('abort', follow);
      controller.abort(over);
    },
  };
}

/** Settles with `promise`, or rejects with the signal's reason if that comes first. */
export function within<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** A wait in real time that ends early, without an error, when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}

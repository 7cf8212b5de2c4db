// Waits for something that another process or thread does.
import assert from 'node:assert/strict';

export async function waitFor(
  what: string,
  isDone: () => Promise<boolean> | boolean,
  withinMs = 120_000,
): Promise<void> {
  const until = Date.now() + withinMs;
  while (Date.now() < until) {
    if (await isDone()) return;
    // oxlint-disable-next-line tests/no-pauses -- between two looks
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail(`waited ${withinMs} ms for ${what}`);
}

// Runs our scripts in a page, in an isolated world: a page may have replaced any function in its own world, but not in this one.
import { callOf, type Sendable } from '#browser/page/in-page/call-of.ts';
import { createPageTools, type PageTools } from '#browser/page/in-page/page-tools.ts';
import type { Page } from '#browser/page/page.ts';
import { isRefusal } from '#browser/page/refusal.ts';
import { finishMs } from '#browser/page/time/times.ts';

/** An element of the page, as an argument of a tool. */
export interface RemoteElement {
  objectId: string;
}

type Sent<Args extends unknown[]> = {
  [Index in keyof Args]: Args[Index] extends Element ? RemoteElement : Args[Index];
};

type Tool = (...args: never[]) => unknown;

export interface ToolsInPage<Tools extends Record<keyof Tools, Tool>> {
  /** Calls a tool, and awaits its promise. */
  run<Name extends keyof Tools & string>(
    name: Name,
    args: Sent<Parameters<Tools[Name]>>,
    signal: AbortSignal,
  ): Promise<Awaited<ReturnType<Tools[Name]>>>;
  elementOf(backendNodeId: number, signal: AbortSignal): Promise<RemoteElement>;
}

export type IsolatedWorld = ToolsInPage<PageTools>;

/** For the document that the page shows now. */
export const openWorld = (page: Page, signal: AbortSignal): Promise<IsolatedWorld> =>
  openTools(page, signal, createPageTools, finishMs);

/** All tools of a document are in the same isolated world. */
export async function openTools<Args extends Sendable[], Tools extends Record<keyof Tools, Tool>>(
  { session, frameId }: Page,
  signal: AbortSignal,
  create: (...args: Args) => Tools,
  ...args: Args
): Promise<ToolsInPage<Tools>> {
  const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId }, signal);
  const { result: tools } = await session.send(
    'Runtime.evaluate',
    { expression: callOf(create, ...args), contextId: executionContextId },
    signal,
  );
  return {
    async run(name, given, until) {
      const sent: (RemoteElement | string | number)[] = given;
      const { result } = await session.send(
        'Runtime.callFunctionOn',
        {
          objectId: tools.objectId!,
          functionDeclaration: 'function (name, ...args) { return this[name](...args); }',
          arguments: [name, ...sent].map((value) => (typeof value === 'object' ? value : { value })),
          awaitPromise: true,
          returnByValue: true,
        },
        until,
      );
      return result.value;
    },
    async elementOf(backendNodeId, until) {
      const { object } = await session.send('DOM.resolveNode', { backendNodeId, executionContextId }, until);
      return { objectId: object.objectId ?? '' };
    },
  };
}

/** Undefined if the expression throws, or does not end in this time: then it is stopped. */
export async function evaluateInWorld<T>(
  { session, frameId }: Page,
  expression: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<T | undefined> {
  const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId }, signal);
  const call = { expression, contextId: executionContextId, timeout: timeoutMs, returnByValue: true };
  try {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', call, signal);
    return exceptionDetails ? undefined : (result.value as T);
  } catch (error) {
    if (isRefusal(error) && String(error).includes('Execution was terminated')) return undefined;
    throw error;
  }
}

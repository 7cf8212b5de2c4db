// Runs our scripts in a page, in an isolated world: a page may have replaced any function in its own world, but not in this one.
import { callOf } from '#browser/page/in-page/call-of.ts';
import { createPageTools, type PageTools } from '#browser/page/in-page/page-tools.ts';
import type { Page } from '#browser/page/page.ts';
import { finishMs } from '#browser/page/times.ts';

/** An element of the page, as an argument of a tool. */
export interface RemoteElement {
  objectId: string;
}

type Sent<Args extends unknown[]> = {
  [Index in keyof Args]: Args[Index] extends Element ? RemoteElement : Args[Index];
};

export interface IsolatedWorld {
  /** Calls a tool, and awaits its promise. */
  run<Name extends keyof PageTools>(
    name: Name,
    args: Sent<Parameters<PageTools[Name]>>,
    signal: AbortSignal,
  ): Promise<Awaited<ReturnType<PageTools[Name]>>>;
  elementOf(backendNodeId: number, signal: AbortSignal): Promise<RemoteElement>;
}

/** For the document that the page shows now. */
export async function openWorld({ session, frameId }: Page, signal: AbortSignal): Promise<IsolatedWorld> {
  const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId }, signal);
  const { result: tools } = await session.send(
    'Runtime.evaluate',
    { expression: callOf(createPageTools, finishMs), contextId: executionContextId },
    signal,
  );
  return {
    async run(name, args, until) {
      const sent: (RemoteElement | string | number)[] = args;
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

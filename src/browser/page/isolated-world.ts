// Runs our scripts in a page, in an isolated world: a page may have replaced any function in its own world, but not in this one.
import type { Page } from '#browser/page/page.ts';

export interface IsolatedWorld {
  /** Evaluates an expression that may use what the world was given; awaits a promise. */
  run<T>(expression: string, signal: AbortSignal): Promise<T>;
  /** A node of the document, for `call`. */
  objectOf(backendNodeId: number, signal: AbortSignal): Promise<string>;
  /** Calls a function with an object as its `this`. */
  call<T>(objectId: string, declaration: string, args: number[], signal: AbortSignal): Promise<T>;
}

/** For the document that the page shows now. */
export async function openWorld(page: Page, given: string, signal: AbortSignal): Promise<IsolatedWorld> {
  const { session, frameId } = page;
  const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId }, signal);
  return {
    async run<T>(expression: string, until: AbortSignal): Promise<T> {
      const { result } = await session.send(
        'Runtime.evaluate',
        {
          expression: `(() => { ${given}; return ${expression}; })()`,
          contextId: executionContextId,
          awaitPromise: true,
          returnByValue: true,
        },
        until,
      );
      return result.value as T;
    },
    async objectOf(backendNodeId, until) {
      const { object } = await session.send('DOM.resolveNode', { backendNodeId, executionContextId }, until);
      return object.objectId ?? '';
    },
    async call<T>(objectId: string, functionDeclaration: string, args: number[], until: AbortSignal) {
      const { result } = await session.send(
        'Runtime.callFunctionOn',
        {
          objectId,
          functionDeclaration,
          arguments: args.map((value) => ({ value })),
          awaitPromise: true,
          returnByValue: true,
        },
        until,
      );
      return result.value as T;
    },
  };
}

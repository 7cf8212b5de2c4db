// The two ends of the library that declines cookie banners. Run in a page. The library runs in an isolated world, and some of its rules
// need a function of the page; those are run in the page's own world. The two worlds call each other by events, which take no time.
// Messages to the worker would take real time, which virtual time outruns: the library gives up after a second.

export interface ConsentState {
  /** There is a banner, or the text of one. */
  isFound: boolean;
  /** There is a banner, and the library is at work on it. */
  isAtWork: boolean;
  isDeclined: boolean;
}

interface Message {
  type: string;
  id?: string;
  snippetId?: string;
  cmp?: string;
  result?: boolean;
  state?: { heuristicPatterns: string[] };
}

interface ConsentWorld {
  consent: ConsentState;
  autoconsentSendMessage: (message: Message) => Promise<void>;
  autoconsentReceiveMessage?: (message: object) => unknown;
}

/** In the page's own world. */
export function answerEvals(key: string, snippets: Record<string, () => unknown>): void {
  addEventListener(key, (event) => {
    let result = false;
    try {
      result = Boolean(snippets[(event as CustomEvent<string>).detail]?.());
    } catch {
      // What it asks for is not in this page.
    }
    dispatchEvent(new CustomEvent(`${key} answer`, { detail: String(result) }));
  });
}

/** In the library's world, before the library. `settings` is the answer to its first message. */
export function listenToConsent(key: string, settings: string): void {
  const world = globalThis as unknown as ConsentWorld;
  const state = { isFound: false, isAtWork: false, isDeclined: false };
  world.consent = state;

  // The library looks for banners every half second, but for the second and later times only if the page has changed meanwhile, and for
  // unknown banners only every other time: it would miss one that comes with the last change.
  const everyTime = function (changed: () => void) {
    return { observe: () => setTimeout(changed, 0), disconnect() {} };
  };
  globalThis.MutationObserver = everyTime as unknown as typeof MutationObserver;

  let answer = 'false';
  addEventListener(`${key} answer`, (event) => {
    answer = (event as CustomEvent<string>).detail;
  });
  const evaluate = (snippet: string): boolean => {
    answer = 'false';
    dispatchEvent(new CustomEvent(key, { detail: snippet }));
    return answer === 'true';
  };

  // The library is ready for an answer only when it has sent its message.
  const reply = (message: object) => queueMicrotask(() => world.autoconsentReceiveMessage?.(message));
  const end = (isDeclined: boolean) => Object.assign(state, { isAtWork: false, isDeclined });

  world.autoconsentSendMessage = async ({
    type,
    id,
    snippetId = '',
    cmp = '',
    result = false,
    state: of,
  }) => {
    if (type === 'init') reply(JSON.parse(settings));
    else if (type === 'eval') reply({ type: 'evalResp', id, result: evaluate(snippetId) });
    else if (type === 'report') state.isFound ||= (of?.heuristicPatterns.length ?? 0) > 0;
    else if (type === 'popupFound') Object.assign(state, { isFound: true, isAtWork: true });
    else if (type === 'optOutResult' && !result) end(false);
    else if (type === 'autoconsentError') end(state.isDeclined);
    else if (type === 'selfTestResult') end(result);
    // The library knows of an unknown banner only that it has pressed a button.
    else if (type === 'autoconsentDone' && cmp.startsWith('HEURISTIC')) reply({ type: 'selfTest' });
    else if (type === 'autoconsentDone') end(true);
  };
}

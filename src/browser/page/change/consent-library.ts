// The library that knows how to decline cookie banners: its script, its rules, and what they need of a page. Read when a render first
// asks for it.
import type * as autoconsent from '@duckduckgo/autoconsent';
import { openLibraryFile } from '#browser/process/library-file.ts';

export interface ConsentLibrary {
  script: string;
  /** An object of functions, as text. */
  snippets: string;
  /** The answer to the first message of the script: how to behave, and the rules for this address. */
  settingsFor(url: string): string;
}

const place = import.meta.resolve('@duckduckgo/autoconsent');
const moduleText = openLibraryFile(place);
const scriptText = openLibraryFile(new URL('autoconsent.playwright.js', place).href);
const rulesText = openLibraryFile(import.meta.resolve('@duckduckgo/autoconsent/rules/compact-rules.json'));

let library: Promise<ConsentLibrary> | undefined;

export const consentLibrary = (): Promise<ConsentLibrary> => (library ??= load());

const quiet = false;
const config: autoconsent.Config = {
  enabled: true,
  autoAction: 'optOut',
  disabledCmps: [],
  // Hides banners without an answer.
  enableCosmeticRules: false,
  enablePrehide: false,
  prehideTimeout: 0,
  enableGeneratedRules: true,
  detectRetries: 20,
  isMainWorld: false,
  enableHeuristicDetection: true,
  // The other modes press what accepts if nothing declines.
  heuristicMode: 'reject',
  heuristicPopupSearchTimeout: 100,
  enablePopupMutationObserver: false,
  visualTest: false,
  performanceLoggingEnabled: false,
  logs: {
    lifecycle: quiet,
    rulesteps: quiet,
    detectionsteps: quiet,
    evals: quiet,
    errors: quiet,
    messages: quiet,
    waits: quiet,
  },
};

async function load(): Promise<ConsentLibrary> {
  // The module imports no other. It takes 9 MB, so it is not loaded before it is needed.
  const address = `data:text/javascript;base64,${Buffer.from(moduleText()).toString('base64')}`;
  const { filterCompactRules, evalSnippets } = (await import(address)) as typeof autoconsent;
  const rules = JSON.parse(rulesText()) as autoconsent.IndexedCMPRuleset;
  const snippets = Object.entries(evalSnippets).map(([name, snippet]) => `${name}: ${String(snippet)}`);
  return {
    script: scriptText(),
    snippets: `{ ${snippets.join()} }`,
    settingsFor(url) {
      const compact = filterCompactRules(rules, { url, mainFrame: true });
      return JSON.stringify({ type: 'initResp', config, rules: { autoconsent: [], compact } });
    },
  };
}

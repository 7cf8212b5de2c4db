// The libraries that read a page inside it, as expressions.
import { openLibraryFile } from '#browser/process/library-file.ts';

export const readability = createLibrary('@mozilla/readability/Readability.js', 'Readability');
export const turndown = createLibrary('turndown/lib/turndown.browser.umd.js', 'globalThis.TurndownService');

function createLibrary(file: string, name: string): () => string {
  const text = openLibraryFile(import.meta.resolve(file));
  // An element of the page may be called `module`, and would be taken for that of a bundler.
  return () => `(function (module, exports, define) { ${text()}\nreturn ${name}; })()`;
}

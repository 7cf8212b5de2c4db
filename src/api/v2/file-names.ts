// The names of files that come with a document, as its page asks for them. Spec 10.
import { invalid } from '#core/errors.ts';

const mostCharacters = 500;

/** A relative name, as browsers write it in an address. */
export function checkFileName(given: string | undefined): string {
  const refuse = (reason: string) =>
    invalid('file', `${reason}; send a relative name such as img/logo.png, not ${shown(given)}`);
  if (given === undefined || given === '') throw refuse('a file has no name');
  if (given.length > mostCharacters) throw refuse(`a name is longer than ${mostCharacters} characters`);
  if (/[\u0000-\u001f\u007f\\?#]/.test(given))
    throw refuse('a name has a backslash, ?, # or a control character');
  if (given.startsWith('/')) throw refuse('a name begins with a slash');
  if (/^[a-z][a-z\d+.-]*:/i.test(given)) throw refuse('a name begins with a scheme');
  // Browsers take %2e for a dot.
  const segments = given.replace(/%2e/gi, '.').split('/');
  if (segments.some((segment) => ['', '.', '..'].includes(segment)))
    throw refuse('a name has an empty part, . or ..');
  // A percent sign that encodes nothing is one of the name.
  const name = given.replace(/%(?![\da-f]{2})/gi, '%25');
  return new URL(name, 'https://document.invalid/').pathname.slice(1);
}

const shown = (given = ''): string => JSON.stringify(given.slice(0, 80));

/** The types that a page needs to be right; clients often send application/octet-stream for all of them. */
const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  htm: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  json: 'application/json',
  txt: 'text/plain; charset=utf-8',
  xml: 'application/xml',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  ico: 'image/x-icon',
  woff: 'font/woff',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
  otf: 'font/otf',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mp3: 'audio/mpeg',
  wasm: 'application/wasm',
};

/** By the name, else as the client says. */
export function fileTypeOf(name: string, declared: string): string {
  const extension = /\.([a-z\d]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  if (Object.hasOwn(types, extension)) return types[extension]!;
  return /^[\w.+-]+\/[\w.+-]+$/.test(declared) ? declared : 'application/octet-stream';
}

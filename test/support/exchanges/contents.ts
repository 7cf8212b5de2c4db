// Contents of recorded requests, by name: small pictures of every type as fixed bytes, so that sizes and tags are the same everywhere.
const pictures: Record<string, Buffer> = {
  png: fromBase64(
    'iVBORw0KGgoAAAANSUhEUgAAAAQAAAADCAYAAAC09K7GAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEklEQVQImWPYEqXRgIwZCAoAABCxFImVEl4Z' +
      'AAAAAElFTkSuQmCC',
  ),
  jpeg: fromBase64(
    '/9j/2wBDAAYEBQYFBAYGBQYHBwYIChAKCgkJChQODwwQFxQYGBcUFhYaHSUfGhsjHBYWICwgIyYnKSopGR8tMC0oMCUoKSj/2wBDAQcHBwoIChMK' +
      'ChMoGhYaKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCj/wAARCAADAAQDASIAAhEBAxEB/8QAFQABAQAA' +
      'AAAAAAAAAAAAAAAAAAf/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFAEBAAAAAAAAAAAAAAAAAAAABf/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAM' +
      'AwEAAhEDEQA/AI+AIOv/2Q==',
  ),
  gif: fromBase64('R0lGODlhBAADAIAAAExpcbRaKCH5BAUAAAAALAAAAAAEAAMAAAIDjI9WADs='),
  webp: fromBase64(
    'UklGRlwAAABXRUJQVlA4WAoAAAAQAAAAAwAAAgAAQUxQSAoAAAABB1DAiAhERP8DVlA4ICwAAADQAQCdASoEAAMAAUAmJaACdLoB+AADsAD+6Di/' +
      '+YJX5Bu1D/56ZrzB/hYAAA==',
  ),
  avif: fromBase64(
    'AAAAHGZ0eXBhdmlmAAAAAG1pZjFhdmlmbWlhZgAAANZtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9jAAAA' +
      'AERAAAEAAQAAAAAA+gABAAAAAAAAACMAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABhdjAxAAAAAA5waXRtAAAAAAABAAAAVmlwcnAAAAA4' +
      'aXBjbwAAAAxhdjFDgSACAAAAABRpc3BlAAAAAAAAABAAAAAQAAAAEHBpeGkAAAAAAwgICAAAABZpcG1hAAAAAAAAAAEAAQOBAgMAAAArbWRhdBIA' +
      'Cgg4DP/aQENBpDIVHsJipO////Fn4AB1fVm84EUmStng',
  ),
};

function fromBase64(text: string): Buffer {
  return Buffer.from(text, 'base64');
}

/** `<png>`, or `<png of 10485760 bytes>`, which is padded after its end; anything else is itself. */
export function contentOf(text: string): Buffer {
  const [, name = '', bytes] = /^<(\w+)(?: of (\d+) bytes)?>$/.exec(text) ?? [];
  const picture = pictures[name];
  if (!picture) return Buffer.from(text);
  return bytes === undefined
    ? picture
    : Buffer.concat([picture, Buffer.alloc(Number(bytes) - picture.length)]);
}

/** The name of a picture; undefined if these are other bytes. */
export function nameOfContent(bytes: Buffer): string | undefined {
  return Object.entries(pictures)
    .filter(([, picture]) => picture.equals(bytes))
    .map(([name]) => `<${name}>`)[0];
}

// Commands that work as pasted, with a key that was just made.
import { keyPlaceholder, sampleOf } from '#site/docs/samples.ts';

/** An upload, which contains its picture. */
export function firstCurl(baseUrl: string, key: string): string {
  const picture =
    '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="120"><rect width="320" height="120" fill="#7a4b23"/>' +
    '<text x="40" y="72" font-size="36" fill="#fff" font-family="sans-serif">It works</text></svg>';
  return `echo '${picture}' |\n  curl ${baseUrl}/api/v1/upload -H "Authorization: Bearer ${key}" -F "file=@-;filename=hello.svg"`;
}

/** For a key that may not upload. */
export const firstRender = (baseUrl: string, key: string): string =>
  sampleOf('curl', { baseUrl, endpoint: 'screenshot', body: { url: 'https://example.com' } }).replace(
    keyPlaceholder,
    key,
  );

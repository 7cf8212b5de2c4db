// The paths in the links that the service gives. A call goes to the address that the client was given, wherever the link points: behind a
// proxy the service may know itself by another name, and a token must not go to another host.

export function deletePath(link: unknown): string {
  const [address = '', query = ''] = textOf(link).replace(/#.*/s, '').split('?');
  const path = /\/api\/uploads\/[^/]+\/delete$/.exec(address)?.[0];
  if (path === undefined || !query.startsWith('token=')) {
    throw new TypeError('delete takes an upload or its deleteUrl');
  }
  return `${path}?${query}`;
}

export function filePath(link: unknown): string {
  const path = /\/[fsp]\/[\w.-]+$/.exec(textOf(link))?.[0];
  if (path === undefined) throw new TypeError('download takes the link of a hosted file');
  return path;
}

const textOf = (link: unknown): string =>
  typeof link === 'string' || link instanceof URL ? String(link) : '';

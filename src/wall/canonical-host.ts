// One spelling for every host, so that the rules check the host that a socket would reach.

/** A host as `URL` writes it, with the port. */
export interface Authority {
  host: string;
  port: number;
}

/**
 * The host as `URL` writes it, without brackets and the trailing dot: `0x7f.1` is `127.0.0.1`, `ＡＢＣ.example` is `abc.example`.
 * Undefined for anything that is more than a host, such as `a@b`, `a/b` or `a:1`.
 */
export function canonicalHost(text: string): string | undefined {
  const bracketed = text.includes(':') && !text.startsWith('[') ? `[${text}]` : text;
  const isHostAlone = /^\[[0-9a-f:.]+\]$|^[^\s/\\?#@:[\]]+$/i.test(bracketed);
  if (!isHostAlone || !URL.canParse(`http://${bracketed}`)) return undefined;
  const host = new URL(`http://${bracketed}`).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  // An empty label could bypass the check for private names: resolvers differ on `localhost..`.
  return host === '' || /^\.|\.\.|\.$/.test(host) ? undefined : host;
}

/** `host`, `host:port` or `[IPv6]:port`, as written in a request to a proxy. */
export function parseAuthority(text: string, defaultPort?: number): Authority | undefined {
  const [, hostText = '', portText] = /^(\[[^\]]*\]|[^:[\]]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = canonicalHost(hostText);
  const port = portText === undefined ? defaultPort : Number(portText);
  if (host === undefined || port === undefined || port < 1 || port > 65_535) return undefined;
  return { host, port };
}

/** The authority of an http, https, ws or wss URL. */
export function authorityOf(url: string): Authority | undefined {
  const parsed = URL.parse(url);
  const isSecure = parsed?.protocol === 'https:' || parsed?.protocol === 'wss:';
  return parsed ? parseAuthority(parsed.host, isSecure ? 443 : 80) : undefined;
}

// Why a connection failed, and what to do where trying again cannot help.

/** fetch says "fetch failed" and keeps the reason in its cause. */
export function reasonOf(error: unknown, baseUrl: string): string {
  const inner = innerOf(error);
  const reason = inner instanceof Error ? inner.message || inner.name : String(inner);
  // What Node's fetch says of a connection that was closed without an answer: as by a TLS port that got plain HTTP, or by a restart.
  return reason === 'other side closed' && baseUrl.startsWith('http:')
    ? `${reason}; does the service speak https:// there?`
    : reason;
}

const innerOf = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? error.cause : error;

/** Certificates that no authority known to this machine has signed. */
const untrusted =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(_LOCALLY)?)|CERT_UNTRUSTED)$/;

export const isUntrusted = (error: unknown): boolean =>
  untrusted.test(String((innerOf(error) as { code?: unknown }).code));

/** Undefined if the fault may pass by itself. */
export function adviceOn(error: unknown, baseUrl: string): string | undefined {
  const { code = '', message = '' } = innerOf(error) as { code?: unknown; message?: string };
  const name = String(code);
  if (isUntrusted(error))
    return `its certificate is not from an authority that this machine trusts (${message}); for one of your own, set NODE_EXTRA_CA_CERTS to its file`;
  if (name === 'CERT_HAS_EXPIRED') return 'its certificate has expired';
  if (name === 'ERR_TLS_CERT_ALTNAME_INVALID') return `its certificate is for another name (${message})`;
  if (/^(ERR_SSL_|EPROTO$)/.test(name) && baseUrl.startsWith('https:'))
    return 'it does not answer with TLS; does the service speak http:// there?';
  if (name.startsWith('HPE_') && baseUrl.startsWith('http:'))
    return 'it does not answer with HTTP; does the service speak https:// there?';
  if (message === 'bad port') return 'fetch refuses this port, as browsers do; the service needs another one';
  return undefined;
}

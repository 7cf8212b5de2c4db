// Certificates for servers of tests, written in DER here: Node signs, but makes none. An authority that no other program trusts,
// and certificates of it for names and addresses. RFC 5280.
import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { parseAddress } from '#core/address.ts';

interface Certificate {
  /** PEM. */
  cert: string;
  key: string;
}

export interface Authority {
  cert: string;
  issue: (...names: string[]) => Certificate;
}

export function createAuthority(commonName = 'Tintype test authority'): Authority {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const cert = certificate({
    subject: commonName,
    issuer: commonName,
    publicKey,
    signer: privateKey,
    // Basic constraints: an authority.
    extension: extension('551d13', sequence(tagged(0x01, Buffer.from([0xff])))),
  });
  return {
    cert,
    issue(...names) {
      const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      return {
        key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }),
        cert: certificate({
          subject: names[0]!,
          issuer: commonName,
          publicKey: pair.publicKey,
          signer: privateKey,
          extension: extension('551d11', sequence(...names.map(generalName))),
        }),
      };
    },
  };
}

/** In the order in which suites of this process began to trust them; each ends when it wants. */
const trusted: string[] = [];
let known: string[] | undefined;

/** Makes this process trust the authority as if the system did, until the returned function is called. */
export function trust({ cert }: Authority): () => void {
  const usual = (known ??= getCACertificates('default'));
  trusted.push(cert);
  setDefaultCACertificates([...usual, ...trusted]);
  return () => {
    trusted.splice(trusted.indexOf(cert), 1);
    setDefaultCACertificates([...usual, ...trusted]);
  };
}

function certificate(parts: {
  subject: string;
  issuer: string;
  publicKey: KeyObject;
  signer: KeyObject;
  extension: Buffer;
}): string {
  const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    name(parts.issuer),
    sequence(time('20200101000000Z'), time('21200101000000Z')),
    name(parts.subject),
    parts.publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(parts.extension)),
  );
  const signature = sign('sha256', body, parts.signer);
  const der = sequence(body, ecdsaWithSha256, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  return `-----BEGIN CERTIFICATE-----\n${(der.toString('base64').match(/.{1,64}/g) ?? []).join('\n')}\n-----END CERTIFICATE-----\n`;
}

const name = (commonName: string): Buffer =>
  sequence(tagged(0x31, sequence(oid('550403'), tagged(0x0c, Buffer.from(commonName)))));

const time = (text: string): Buffer => tagged(0x18, Buffer.from(text));

const extension = (id: string, value: Buffer): Buffer => sequence(oid(id), tagged(0x04, value));

function generalName(text: string): Buffer {
  const address = parseAddress(text);
  return address ? tagged(0x87, Buffer.from(address)) : tagged(0x82, Buffer.from(text));
}

const oid = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, 'hex'));

const sequence = (...parts: Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts));

function tagged(tag: number, value: Buffer): Buffer {
  const { length } = value;
  const head = length < 128 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), value]);
}

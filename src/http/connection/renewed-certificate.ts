// Certificates live for weeks, and the service longer: a renewed one is used from the next connection on, without a restart. The files
// are read again instead of watched, because mounted secrets change through links, which watching misses.
import type { Server } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { FastifyBaseLogger } from 'fastify';
import { seconds, type Chore } from '#core/chore.ts';

export interface TlsFiles {
  cert: Buffer;
  key: Buffer;
  /** Reads the files again. */
  reread(this: void): { cert: Buffer; key: Buffer };
}

export function renewCertificate(server: Server, tls: TlsFiles, log: FastifyBaseLogger): Chore {
  let used: { cert: Buffer; key: Buffer } = tls;
  return {
    name: 'look for a renewed certificate',
    everyMs: seconds(60),
    onEveryMachine: true,
    async run() {
      const { cert, key } = tls.reread();
      if (cert.equals(used.cert) && key.equals(used.key)) return;
      // Throws if they do not fit, perhaps because only one of them is written yet: until then the old ones are used.
      createSecureContext({ cert, key });
      server.setSecureContext({ cert, key });
      used = { cert, key };
      log.info('the certificate has changed and is used from now on');
    },
  };
}
